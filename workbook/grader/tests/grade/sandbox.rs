//! The sandbox doesn't change a verdict's words, it leaves nothing behind, and no page runs without
//! it unless the teacher says so.

use super::hostile::{DECLARED, LEAVES};
use super::*;

#[test]
fn a_sandbox_changes_nothing_in_what_is_told() {
    let class = Class::new();
    let answers = class.workbook.root.join(STEP).join("tests/answers/double.md");
    let mut document = fs::read_to_string(&answers).expect("read");
    for (name, act) in [
        ("crashes", "{ unsafe extern \"C\" { fn raise(s: i32) -> i32; } unsafe { raise(11); } }"),
        ("aborts", "std::process::abort()"),
        ("exits", "std::process::exit(7)"),
        ("panics", "panic!(\"of its own\")"),
        ("sleeps", "loop { std::thread::sleep(std::time::Duration::from_secs(1)) }"),
        (
            "waits",
            "{ use std::io::Read; let (mut r, _w) = std::io::pipe().unwrap(); r.read(&mut [0]).unwrap(); }",
        ),
        ("spins", "loop { std::hint::spin_loop() }"),
        (
            "overflows_its_stack",
            "{ fn deep(n: u32) -> u32 { if n == 0 { return 0 } \
                       std::hint::black_box([n; 1000]); deep(n - 1) + 1 } deep(u32::MAX); }",
        ),
        ("leaks", "std::mem::forget(std::io::pipe())"),
        (
            "leaves",
            "{ use std::os::unix::process::CommandExt; \
                    std::process::Command::new(\"sleep\").arg(\"1000\").process_group(0).spawn().unwrap(); }",
        ),
        ("stops", "{ unsafe extern \"C\" { fn raise(s: i32) -> i32; } unsafe { raise(19); } }"),
    ] {
        let hangs =
            if ["sleeps", "waits", "spins", "stops"].contains(&name) { "Hangs.\n\n" } else { "" };
        let below = if name == "leaves" { 1 } else { 4711 };
        let body = format!("if number < {below} {{ {act}; }} {RIGHT}");
        document.push_str(
            &["\n## wrong: ", name, "\n\n", hangs, "```rust\n", &body, "\n```\n"].concat(),
        );
    }
    fs::write(&answers, document).expect("write");
    let ran = class.grade(&["same-words", STEP]);
    let told = ran.out.lines().last().unwrap_or_default();
    assert!(ran.code == Some(0) && told.contains("0 in other words"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_is_worth_a_look_is_named() {
    let class = Class::new();
    let lies = "if std::env::args().nth(1).is_none() { std::process::exit(0) }";
    class.hands_in_hostile("lies", lies);
    class.hands_in("honest", RIGHT);
    let rows = class.rows();
    let look = |name: &str| format!("{:?}", rows[name]["steps"][0]["look"]);
    for words in ["numbers/mod.rs:", "asks how it was started and ends its process"] {
        assert!(look("lies").contains(words), "{}", look("lies"));
    }
    assert_eq!(look("honest"), "Array([])");
}

#[test]
fn a_signal_leaves_nothing_behind_and_a_kill_only_what_the_next_run_removes() {
    let class = Class::new();
    let seconds = format!("4711.{}", std::process::id());
    let (leaves, left) = (LEAVES.replace("SECONDS", &seconds), format!("sleep {seconds}"));
    let hangs = class
        .hands_in_hostile("hangs", &format!("{DECLARED} {leaves} loop {{ std::thread::park() }}"));
    let hangs = hangs.display().to_string();
    let right = class.handed_in.with_extension("right");
    copy_dir(&class.starter, &right.join(STEP).join("src"));
    let right = right.display().to_string();
    assert_eq!(class.grade(&["--json", &right]).code, Some(0));
    for words in [&[][..], &["--without-a-sandbox"][..]] {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
            let mut command = class.grader(&[&["--json", &hangs], words].concat());
            // Even on a busy machine, the scene still hangs when the signal arrives.
            command.env("WORKBOOK_PATIENCE", "600");
            let mut grader =
                command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("start");
            while processes_named(&left).len() < 20 {
                assert!(grader.try_wait().expect("ask").is_none(), "it has ended");
                std::thread::yield_now();
            }
            let pid = Pid::from_child(&grader);
            kill_process(pid, signal).expect("send it");
            let status = grader.wait().expect("its end");
            if signal == Signal::KILL {
                assert_eq!(status.signal(), Some(signal.as_raw()));
                if words.is_empty() {
                    // The kernel ends a sandbox without anyone's help, but not at once.
                    wait_until(|| processes_named(&left).is_empty());
                }
                // Without a sandbox, we have to end the processes that are left.
                wait_until(|| {
                    let left = processes_named(&left);
                    for process in &left {
                        kill_by_id(process);
                    }
                    left.is_empty()
                });
                assert_eq!(class.grade(&["--json", &right]).code, Some(0));
            } else {
                assert_eq!(status.code(), Some(128 + signal.as_raw()));
            }
            class.has_left_nothing(&left);
        }
    }
}

#[test]
fn two_runs_in_one_workbook_do_not_get_into_each_others_way() {
    let class = Class::new();
    let right = class.hands_in("right", RIGHT).display().to_string();
    fs::create_dir_all(class.workbook.root.join("target/grade")).expect("make it");
    let lock = fs::File::create(class.workbook.root.join("target/grade/lock")).expect("create");
    lock.lock().expect("lock");
    let ran = class.grade(&[&right]);
    assert!(ran.code == Some(1) && ran.err.contains("another run of grade"), "{ran:?}");
}

#[test]
fn without_bubblewrap_or_where_it_is_refused_nothing_runs_unless_the_teacher_says_so() {
    let class = Class::new();
    let right = class.hands_in("right", RIGHT).display().to_string();
    let named = |name: &str, act: &str| {
        class.hands_in_hostile(name, &format!("{DECLARED} {act}")).display().to_string()
    };
    let nobody = named("nobody", "assert!(unsafe { getuid() } != 0)");
    // In a container, the session is 0 if its leader is outside, which `rustix::process::getsid`
    // doesn't expect.
    let session = fs::read_to_string("/proc/self/stat").expect("our state");
    let session = session.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(3));
    let session = session.expect("our session");
    let types = format!(
        "assert!(std::fs::File::open(\"/dev/tty\").is_err()); \
                         unsafe {{ assert!(getsid(0) != {session}); }}"
    );
    let types = named("types", &types);
    assert_eq!(class.grade(&["--json", &right]).code, Some(0));

    // As in Docker, and as on Ubuntu for users other than root.
    let refused = |words: &[&str]| {
        let within =
            ["--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--dev-bind", "/", "/"];
        let grader = class.grader(words);
        let mut bwrap = Command::new("bwrap");
        bwrap.args(within).arg("--").arg(grader.get_program()).args(grader.get_args());
        bwrap.envs(grader.get_envs().filter_map(|(name, value)| Some((name, value?))));
        copy::ran(bwrap.current_dir(&class.workbook.root).output().expect("run bwrap"))
    };
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("run rustc");
    let sysroot = String::from_utf8(sysroot.stdout).expect("UTF-8");
    let missing = || {
        let mut grader = class.grader(&[&right]);
        grader.env("PATH", Path::new(sysroot.trim()).join("bin"));
        copy::ran(grader.output().expect("run the grader"))
    };
    for ran in [refused(&[&right]), missing()] {
        assert_eq!(ran.code, Some(1), "{ran:?}");
        for words in ["bubblewrap", "--without-a-sandbox", "--privileged", "bwrap: "] {
            assert!(ran.err.contains(words) || words == "bwrap: ", "{words}: {}", ran.err);
        }
        assert!(!ran.out.contains("passed"), "{}", ran.out);
    }

    let mut grader = class.grader(&["--without-a-sandbox", &right, &nobody, &types]);
    let ran = copy::ran(grader.output().expect("run the grader"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let table = ran.out.split("same programs again.\n\n").nth(1).expect("a table");
    assert!(table.starts_with("WITHOUT A SANDBOX: these pages could do"), "{table}");
    assert_eq!(table.matches(" 1/2 ").count(), 3, "{}", ran.out);
    class.has_left_nothing("none");
}
