//! `grade` judges notebooks that were handed in. A broken one is a row like any other, and a hostile
//! one harms neither the others nor the machine.

#[path = "../../runner/tests/common/mod.rs"]
mod common;
#[path = "../../runner/tests/common/copy.rs"]
mod copy;

use std::collections::HashMap;
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::is_alive;
use copy::{Ran, STEP, Workbook, copy_dir};
use rustix::process::{Pid, Signal, kill_process};
use tinyjson::JsonValue;

type Object = HashMap<String, JsonValue>;

const RIGHT: &str = "number.wrapping_mul(2)";

/// A class, and a directory in which nothing may change.
struct Class {
    workbook: Workbook,
    starter: PathBuf,
    handed_in: PathBuf,
    canary: PathBuf,
    /// A directory for temporary files, whose path is short.
    temporary: PathBuf,
}

impl Class {
    fn new() -> Class {
        let workbook = Workbook::fresh();
        workbook.run(&[]);
        let beside = |name| workbook.root.with_extension(name);
        let (starter, handed_in) = (beside("starter"), beside("handed-in"));
        let canary = beside("canary");
        for dir in [&starter, &handed_in, &canary] {
            let _ = fs::remove_dir_all(dir);
            fs::create_dir_all(dir).expect("make a directory");
        }
        fs::write(canary.join("secret"), "secret-4711").expect("write");
        copy_dir(&workbook.page("src"), &starter);
        let name = workbook.root.file_name().expect("a name").display();
        let temporary = std::env::temp_dir().join(format!("class-{}-{name}", std::process::id()));
        fs::create_dir_all(&temporary).expect("make a directory");
        Class { workbook, starter, handed_in, canary, temporary }
    }

    /// Hands in a notebook with a body for the first exercise.
    fn hands_in(&self, name: &str, double: &str) -> PathBuf {
        let dir = self.handed_in.join(name);
        let src = dir.join(STEP).join("src");
        copy_dir(&self.starter, &src);
        let file = src.join("numbers/mod.rs");
        let text = fs::read_to_string(&file).expect("read");
        let begin = text.find("todo!(").expect("a body to write");
        let end = begin + text[begin..].find("\n}\n").expect("its end");
        let canary = self.canary.display().to_string();
        let double = double.replace("CANARY", &canary);
        let double = double.replace("ROOT", &self.workbook.root.display().to_string());
        fs::write(&file, format!("{}{double}{}", &text[..begin], &text[end..])).expect("write");
        dir
    }

    /// Hands in a right answer that does something else before, once in each process.
    fn hands_in_hostile(&self, name: &str, act: &str) -> PathBuf {
        let once = "static ONCE: std::sync::Once = std::sync::Once::new();";
        self.hands_in(name, &format!("{once}\n    ONCE.call_once(|| {{ {act} }});\n    {RIGHT}"))
    }

    fn grade(&self, words: &[&str]) -> Ran {
        self.grade_with(words, &[])
    }

    fn grade_with(&self, words: &[&str], variables: &[(&str, &str)]) -> Ran {
        let words = [&["run", "--quiet", "-p", "grader", "--"], words].concat();
        let cargo = self.workbook.cargo(&words);
        // As in a shell in which a file happens to be open.
        let mut command = Command::new("sh");
        command.args(["-c", "exec 9> \"$0\" && exec \"$@\""]).arg(self.inherited());
        command.arg(cargo.get_program()).args(cargo.get_args()).stdin(Stdio::null());
        command
            .current_dir(&self.workbook.root)
            .env("COLUMNS", "80")
            .env("TMPDIR", &self.temporary);
        command.env_remove("CARGO_TARGET_DIR").envs(variables.iter().copied());
        copy::ran(command.output().expect("run cargo"))
    }

    /// Returns the file that the grader has inherited.
    fn inherited(&self) -> PathBuf {
        self.canary.with_extension("inherited")
    }

    /// Returns the command that runs the grader's program, which has to be there already.
    fn grader(&self, words: &[&str]) -> Command {
        let mut command = kit::as_in_a_terminal(self.workbook.root.join("target/debug/grader"));
        command.args(words).current_dir(&self.workbook.root).stdin(Stdio::null());
        command.env("TMPDIR", &self.temporary);
        // What `cargo run` says: otherwise the program takes the workbook that it was built in.
        command.env("CARGO_MANIFEST_DIR", self.workbook.root.join("workbook/grader"));
        command
    }

    /// Checks that no process with this command line is there any more, and none of the grader's
    /// directories but those that it keeps for the next time.
    #[track_caller]
    fn has_left_nothing(&self, line: &str) {
        assert_eq!(processes_named(line), Vec::<String>::new());
        let kept = fs::read_dir(self.workbook.root.join("target/grade")).expect("list");
        let names = kept.map(|entry| entry.expect("an entry").file_name().display().to_string());
        let left: Vec<String> = names.filter(|name| name.starts_with("notebook")).collect();
        assert_eq!(left, Vec::<String>::new());
        assert_eq!(fs::read_dir(&self.temporary).expect("list").count(), 0);
    }

    /// Grades all that was handed in, and returns the rows by the notebooks' names.
    fn rows(&self) -> HashMap<String, Object> {
        self.rows_with(&[])
    }

    fn rows_with(&self, variables: &[(&str, &str)]) -> HashMap<String, Object> {
        let mut dirs: Vec<String> = fs::read_dir(&self.handed_in)
            .expect("list")
            .map(|entry| entry.expect("an entry").path().display().to_string())
            .collect();
        dirs.sort();
        let mut words = vec!["--json"];
        words.extend(dirs.iter().map(String::as_str));
        let ran = self.grade_with(&words, variables);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let json: JsonValue = ran.out.parse().expect("JSON");
        let rows: &Vec<JsonValue> = json["notebooks"].get().expect("rows");
        let name = |row: &JsonValue| {
            let dir: &String = row["notebook"].get().expect("a name");
            Path::new(dir).file_name().expect("a name").display().to_string()
        };
        rows.iter().map(|row| (name(row), row.get::<Object>().expect("a row").clone())).collect()
    }
}

/// Returns how many exercises passed, the state of the first that didn't, and why.
#[track_caller]
fn outcome(rows: &HashMap<String, Object>, name: &str) -> (u32, String, String) {
    let row = &rows[name];
    let step = &row["steps"][0];
    let text = |name: &str| step[name].get::<String>().expect("a text").clone();
    let passed: &f64 = row["passed"].get().expect("a number");
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let passed = *passed as u32;
    (passed, text("state"), text("why"))
}

/// A process of the same user, which has nothing to do with any notebook.
struct Bystander(Child);

impl Bystander {
    fn new() -> Self {
        Bystander(Command::new("sleep").arg("1000").spawn().expect("start a process"))
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn each_notebook_is_a_row_whatever_is_in_it() {
    let class = Class::new();
    class.hands_in("right", RIGHT);
    class.hands_in("wrong", "number + number");
    class.hands_in("broken", "number.twice(");
    copy_dir(&class.starter, &class.handed_in.join("unwritten").join(STEP).join("src"));
    fs::create_dir_all(class.handed_in.join("empty")).expect("make a directory");
    let linked = class.hands_in("linked", RIGHT).join(STEP).join("src/linked.rs");
    std::os::unix::fs::symlink(class.canary.join("secret"), linked).expect("link");
    let builds = class.hands_in("builds", RIGHT).join(STEP);
    fs::write(builds.join("build.rs"), "compile_error!(\"built\");").expect("write");
    fs::write(builds.join("Cargo.toml"), "not a manifest").expect("write");

    let rows = class.rows();
    assert_eq!(rows.len(), 7);
    assert_eq!(outcome(&rows, "right"), (1, "not written".into(), String::new()));
    assert_eq!(outcome(&rows, "builds"), (1, "not written".into(), String::new()));
    assert_eq!(outcome(&rows, "unwritten"), (0, "not written".into(), String::new()));
    let (passed, state, why) = outcome(&rows, "wrong");
    assert!(passed == 0 && state == "red" && why.contains("overflow"), "{state}: {why}");
    let (passed, state, why) = outcome(&rows, "broken");
    assert!(passed == 0 && state == "does not compile" && why.contains("error"), "{state}: {why}");
    for (name, why) in [("empty", "no notebook"), ("linked", "linked.rs")] {
        let error: &String = rows[name]["error"].get().expect("an error");
        assert!(error.contains(why), "{name}: {error}");
    }
}

#[test]
fn the_table_says_what_is_limited_and_which_seed_it_had() {
    let class = Class::new();
    let right = class.hands_in("right", RIGHT).display().to_string();
    let ran = class.grade(&["--seed", "4711", &right]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for text in ["Limited while", "no network", "Not limited:\n", "Seed 4711;", "1/2", "90.2 greet"]
    {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
    assert_eq!(class.grade(&[]).code, Some(2));
    assert_eq!(class.grade(&["--seeds", "1", &right]).code, Some(2));
}

#[test]
fn a_body_that_is_wrong_only_in_programs_that_no_reader_has_seen_is_red() {
    let class = Class::new();
    class.workbook.solve_double();
    class.workbook.run(&[]);
    let kept = class.workbook.root.join("target/debug/step90_fixture.runs/any_number");
    let usual = String::from_utf8_lossy(&fs::read(kept).expect("the usual programs")).into_owned();
    let numbers = usual.lines().filter_map(|line| line.strip_prefix("double ")?.split_once(':'));
    let numbers: Vec<&str> = numbers.map(|(number, _)| number).collect();
    let here = format!("const HERE: &[u32] = &[{}];", numbers.join(", "));
    let seen = "matches!(number, 0..=10 | 1000 | u32::MAX) || HERE.contains(&number)";
    class.hands_in("learnt", &format!("{here}\n if {seen} {{ {RIGHT} }} else {{ 7 }}"));
    let (passed, state, why) = outcome(&class.rows(), "learnt");
    assert_eq!((passed, state.as_str()), (0, "red"), "{why}");
    assert!(why.contains("with fresh programs"), "{why}");
}

/// What bodies declare that ask the kernel directly.
const DECLARED: &str = "unsafe extern \"C\" { fn kill(p: i32, s: i32) -> i32; fn getppid() -> i32; \
     fn setsid() -> i32; fn getsid(p: i32) -> i32; fn fork() -> i32; fn getuid() -> u32; \
     fn shmget(k: i32, s: usize, f: i32) -> i32; fn syscall(n: i64, ...) -> i64; \
     fn setpriority(w: i32, p: u32, n: i32) -> i32; \
     fn ptrace(r: i32, p: i32, a: usize, d: usize) -> i64; \
     fn prlimit(p: i32, r: i32, n: *const [u64; 2], o: *mut [u64; 2]) -> i32; \
     fn write(fd: i32, b: *const u8, n: usize) -> isize; }";

/// Starts twenty processes that leave the group and the session, and forget their environment.
const LEAVES: &str = "for _ in 0..20 { if unsafe { fork() } == 0 { unsafe { setsid(); } \
     let e = std::os::unix::process::CommandExt::exec(std::process::Command::new(\"sleep\")\
     .env_clear().arg(\"SECONDS\")); panic!(\"{e}\") } }";

/// What a notebook tries that it mustn't be able to do. Each panics if it can.
const ATTEMPTS: [(&str, &str); 19] = [
    ("writes", "if std::fs::write(\"CANARY/written\", \"\").is_ok() { panic!() }"),
    ("deletes", "if std::fs::remove_dir_all(\"CANARY\").is_ok() { panic!() }"),
    ("reads", "if std::fs::read(\"CANARY/secret\").is_ok() { panic!() }"),
    (
        "forges",
        "if std::fs::write(\"ROOT/step90_fixture/tests/snapshots/small_numbers.snap\", \"\").is_ok() \
         { panic!() }",
    ),
    (
        "forges_the_reference",
        "if std::fs::write(\"ROOT/target/debug/step90_fixture.runs/any_number\", \"\").is_ok() \
         { panic!() }",
    ),
    (
        "changes_itself",
        "let me = std::env::current_exe().unwrap(); \
         if std::fs::File::options().write(true).open(&me).is_ok() { panic!() } \
         if std::fs::write(\"/x\", \"\").is_ok() || std::fs::write(\"/page/x\", \"\").is_ok() { panic!() }",
    ),
    (
        "types",
        "assert!(std::fs::File::open(\"/dev/tty\").is_err()); \
         for it in std::fs::read_dir(\"/dev/pts\").unwrap() { \
         assert_eq!(it.unwrap().file_name(), \"ptmx\") }",
    ),
    (
        "connects",
        "if std::os::unix::net::UnixStream::connect(\"CANARY/socket\").is_ok() { panic!() } \
         let name = <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>\
         ::from_abstract_name(\"CANARY\").unwrap(); \
         if std::os::unix::net::UnixStream::connect_addr(&name).is_ok() { panic!() }",
    ),
    (
        "calls",
        "let t = std::time::Duration::from_secs(1); let to = \"127.0.0.1:PORT\".parse().unwrap(); \
         if std::net::TcpStream::connect_timeout(&to, t).is_ok() { panic!() } \
         let far = \"192.0.2.1:53\"; let udp = std::net::UdpSocket::bind(\"0.0.0.0:0\").unwrap(); \
         if udp.send_to(b\"x\", far).is_ok() { panic!() }",
    ),
    (
        "changes_modes",
        "use std::os::unix::fs::PermissionsExt; \
         let mode = std::fs::Permissions::from_mode(0o777); \
         if std::fs::set_permissions(\"CANARY/secret\", mode).is_ok() { panic!() } \
         if std::fs::hard_link(\"CANARY/secret\", \"/tmp/secret\").is_ok() { panic!() }",
    ),
    (
        "kills",
        "DECLARED unsafe { assert!(kill(BYSTANDER, 9) == -1); kill(getppid(), 9); kill(getppid(), 19); \
         kill(1, 9); kill(1, 19); \
         assert!(setpriority(0, BYSTANDER, 19) == -1); \
         assert!(prlimit(BYSTANDER, 0, &[1, 1], std::ptr::null_mut()) == -1) }",
    ),
    (
        "looks_around",
        "let mut seen = 0; for it in std::fs::read_dir(\"/proc\").unwrap() { let it = it.unwrap().path(); \
         if it.join(\"exe\").symlink_metadata().is_ok() { seen += 1; } \
         let words = std::fs::read(it.join(\"cmdline\")).unwrap_or_default(); \
         assert!(!String::from_utf8_lossy(&words).contains(\"grade-page\")); } assert!(seen < 5);",
    ),
    (
        "traces",
        "DECLARED for pid in [1, unsafe { getppid() }] { \
         unsafe { assert!(ptrace(16, pid, 0, 0) == -1 && ptrace(0x4206, pid, 0, 0) == -1); } \
         let of = |name: &str| format!(\"/proc/{pid}/{name}\"); \
         if std::fs::File::options().write(true).open(of(\"mem\")).is_ok() { panic!() } \
         if std::fs::read(of(\"environ\")).is_ok() || std::fs::read_dir(of(\"fd\")).is_ok() { panic!() } \
         for fd in 0..9 { if std::fs::File::options().write(true).open(of(&format!(\"fd/{fd}\"))).is_ok() \
         { panic!() } } }",
    ),
    (
        "is_somebody",
        "DECLARED assert!(unsafe { getuid() } != 0); \
         for path in [\"/etc/shadow\", \"/etc/passwd\", \"/root\", \"/home\", \"/proc/1/root\", \"/run\"] { \
         if std::fs::read(path).is_ok() || std::fs::read_dir(path).is_ok() { panic!() } } \
         if std::fs::write(\"/proc/sys/kernel/domainname\", \"x\").is_ok() { panic!() }",
    ),
    (
        "has_a_strangers_descriptor",
        "DECLARED for fd in 3..64 { if unsafe { write(fd, b\"forged\".as_ptr(), 6) } > 0 { panic!() } }",
    ),
    ("shares", "DECLARED unsafe { shmget(4711, 1 << 20, 0o1666); }"),
    (
        "nests",
        "std::env::set_current_dir(\"/tmp\").unwrap(); for _ in 0..30_000 { \
         std::fs::create_dir(\"d\").unwrap(); std::env::set_current_dir(\"d\").unwrap(); } \
         std::env::set_current_dir(\"/\").unwrap();",
    ),
    (
        "fills",
        "for n in 0..20 { let _ = std::fs::write(format!(\"/tmp/{n}\"), vec![0; 40 << 20]); } \
         for n in 0..20 { let _ = std::fs::remove_file(format!(\"/tmp/{n}\")); }",
    ),
    (
        "writes_to_its_home",
        "std::fs::write(std::env::var(\"HOME\").unwrap() + \"/x\", \"\").unwrap();",
    ),
];

/// What a notebook does to itself and to the machine, and a part of what's said about it.
const MISDEEDS: [(&str, &str, &str); 9] = [
    ("includes", "println!(include_str!(\"CANARY/secret\"));", "couldn't read"),
    ("includes_a_token", "println!(include_str!(\"CARGO/credentials.toml\"));", "couldn't read"),
    ("includes_above", "println!(include_str!(\"ABOVE/.cargo/config.toml\"));", "couldn't read"),
    ("floods", "loop { println!(\"and again\") }", "printed more than 8 MiB"),
    (
        "floods_with_records",
        "DECLARED let mut record = vec![b'E']; record.extend((1_u32 << 20).to_le_bytes()); \
         record.extend(vec![b'x'; 1 << 20]); loop { for fd in 900..1100 { \
         let mut left = &record[..]; while !left.is_empty() { \
         let n = unsafe { write(fd, left.as_ptr(), left.len()) }; if n <= 0 { break } \
         left = &left[n as usize..]; } } }",
        "printed more than 8 MiB",
    ),
    (
        "remembers",
        "let mut all = vec![]; for _ in 0..3000 { all.push(Vec::<u8>::with_capacity(1 << 26)); }",
        "more memory",
    ),
    (
        "remembers_in_many",
        "DECLARED for _ in 0..7 { if unsafe { fork() } == 0 { let all = vec![1_u8; 256 << 20]; \
         loop { std::hint::black_box(&all); std::thread::park() } } } loop { std::thread::park() }",
        "more memory",
    ),
    ("forks", "DECLARED loop { unsafe { fork(); } }", ""),
    ("ends_its_launcher", "DECLARED unsafe { kill(getppid(), 15); } loop {}", "was to report"),
];

impl Class {
    /// Replaces what only this test knows.
    fn filled(&self, act: &str, bystander: &Bystander, port: u16, home: &Path) -> String {
        let above = self.workbook.root.parent().expect("a directory above").display().to_string();
        act.replace("DECLARED", DECLARED)
            .replace("BYSTANDER", &bystander.0.id().to_string())
            .replace("PORT", &port.to_string())
            .replace("CARGO", &home.display().to_string())
            .replace("ABOVE", &above)
    }

    /// Makes a directory for cargo that has a password, and the crates of the usual one.
    fn home_with_a_token(&self) -> PathBuf {
        let usual = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let usual = usual.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).expect("a home");
        let home = self.canary.with_extension("home");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("make it");
        fs::write(home.join("credentials.toml"), "token = \"secret-4711\"").expect("write");
        std::os::unix::fs::symlink(usual.join("registry"), home.join("registry")).expect("link");
        home
    }
}

#[test]
fn a_hostile_notebook_harms_nothing_and_thirty_good_ones_beside_it_get_their_verdicts() {
    let class = Class::new();
    let snapshots = class.workbook.root.join(STEP).join("tests/snapshots");
    let snapshot = snapshots.join("small_numbers.snap");
    let key = fs::read_to_string(&snapshot).expect("read");
    class.workbook.solve_double();
    class.workbook.run(&[]);
    let kept = class.workbook.root.join("target/debug/step90_fixture.runs/any_number");
    let reference_did = without_identity(&kept);
    let bystander = Bystander::new();
    let network = TcpListener::bind("127.0.0.1:0").expect("listen");
    let port = network.local_addr().expect("its address").port();
    let socket = UnixListener::bind(class.canary.join("socket")).expect("listen");
    let name = SocketAddr::from_abstract_name(class.canary.display().to_string()).expect("a name");
    let unnamed = UnixListener::bind_addr(&name).expect("listen");
    let home = class.home_with_a_token();
    let above = class.workbook.root.parent().expect("a directory above").join(".cargo");
    fs::create_dir_all(&above).expect("make it");
    fs::write(above.join("config.toml"), "# secret-4711").expect("write");
    let shared = fs::read_to_string("/proc/sysvipc/shm").expect("read");

    let filled = |act: &str| class.filled(act, &bystander, port, &home);
    for (name, act) in ATTEMPTS {
        class.hands_in_hostile(name, &filled(act));
    }
    for (name, act, _) in MISDEEDS {
        class.hands_in_hostile(name, &filled(act));
    }
    let seconds = format!("471100.{}", std::process::id());
    let leaves = LEAVES.replace("SECONDS", &seconds);
    class.hands_in_hostile("leaves", &format!("{DECLARED} {leaves}"));
    for number in 0..30 {
        class.hands_in(&format!("good_{number}"), &format!("{RIGHT} ^ {number} ^ {number}"));
    }

    let rows = class.rows_with(&[("CARGO_HOME", &home.display().to_string())]);
    fs::remove_dir_all(above).expect("remove it");
    // Nothing has changed, nothing was read, and nobody was asked anything.
    let canary: Vec<_> = fs::read_dir(&class.canary).expect("list").collect();
    assert_eq!(canary.len(), 2);
    let mode = fs::metadata(class.canary.join("secret")).expect("its mode").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(fs::read_to_string(&snapshot).expect("read"), key);
    assert!(without_identity(&kept) == reference_did, "{} has changed", kept.display());
    assert!(!format!("{rows:?}").contains("secret-4711"));
    assert_eq!(fs::read_to_string("/proc/sysvipc/shm").expect("read"), shared);
    assert_eq!(fs::read(class.inherited()).expect("read"), b"");
    assert!(is_alive(&bystander.0.id().to_string()));
    network.set_nonblocking(true).expect("non-blocking");
    assert!(network.accept().is_err());
    for listener in [socket, unnamed] {
        listener.set_nonblocking(true).expect("non-blocking");
        assert!(listener.accept().is_err());
    }
    class.has_left_nothing(&format!("sleep {seconds}"));
    // What didn't work costs nothing, and what went wrong is told.
    let good = (0..30).map(|number| format!("good_{number}"));
    for name in ATTEMPTS.iter().map(|(name, _)| (*name).to_owned()).chain(good) {
        assert_eq!(outcome(&rows, &name), (1, "not written".into(), String::new()), "{name}");
    }
    for (name, _, why) in MISDEEDS {
        let (passed, state, said) = outcome(&rows, name);
        let is_red = passed == 0 && (state == "red" || state == "does not compile");
        assert!(is_red && said.contains(why), "{name}: {passed} {state}: {said}");
    }
    let (passed, _, said) = outcome(&rows, "leaves");
    assert!(passed == 0 && said.contains("left a process behind"), "{passed} {said}");
}

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
            // However busy the machine is, it still hangs when the signal comes.
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
                    // The kernel ends a sandbox without anybody's help, but not at once.
                    wait_until(|| processes_named(&left).is_empty());
                }
                // Without one, they're left for us to end.
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
    // In a container it's 0 if its leader is outside, which `rustix::process::getsid` doesn't expect.
    let session = fs::read_to_string("/proc/self/stat").expect("our state");
    let session = session.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(3));
    let session = session.expect("our session");
    let types = format!(
        "assert!(std::fs::File::open(\"/dev/tty\").is_err()); \
                         unsafe {{ assert!(getsid(0) != {session}); }}"
    );
    let types = named("types", &types);
    assert_eq!(class.grade(&["--json", &right]).code, Some(0));

    // As in Docker, and as Ubuntu does for those who aren't root.
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

/// Reads what the reference did, without the program's identity: cargo can have built it again.
fn without_identity(kept: &Path) -> Vec<u8> {
    let bytes = fs::read(kept).expect("what the reference did");
    let length = u32::from_le_bytes(bytes[1..5].try_into().expect("a length"));
    bytes[5 + length as usize..].to_vec()
}

/// Returns the IDs of processes with a command line.
fn processes_named(line: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("list the processes").filter_map(Result::ok);
    let has_it = |entry: &fs::DirEntry| {
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).replace('\0', " ").trim() == line
    };
    all.filter(has_it).map(|entry| entry.file_name().display().to_string()).collect()
}

fn kill_by_id(process: &str) {
    let pid = process.parse().ok().and_then(Pid::from_raw).expect("a process");
    let _ = kill_process(pid, Signal::KILL);
}

#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "it isn't so after 30 s");
        std::thread::yield_now();
    }
}
