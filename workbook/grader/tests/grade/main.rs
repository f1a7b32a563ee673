//! `grade` judges notebooks that were handed in. A broken notebook is a row like any other, and a
//! hostile notebook harms neither other notebooks nor the machine.

#[path = "../../../runner/tests/common/mod.rs"]
mod common;
#[path = "../../../runner/tests/common/copy.rs"]
mod copy;
mod hostile;
mod sandbox;

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

/// A class, and a directory that mustn't change.
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

    /// Hands in a right answer that first does something else, once in each process.
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
        // As in a shell that happens to have a file open.
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

    /// Returns the command that runs the grader's program, which must already be built.
    fn grader(&self, words: &[&str]) -> Command {
        let mut command = kit::as_in_a_terminal(self.workbook.root.join("target/debug/grader"));
        command.args(words).current_dir(&self.workbook.root).stdin(Stdio::null());
        command.env("TMPDIR", &self.temporary);
        // `cargo run` sets this: otherwise the program takes the workbook that it was built in.
        command.env("CARGO_MANIFEST_DIR", self.workbook.root.join("workbook/grader"));
        command
    }

    /// Checks that no process with this command line is left, and none of the grader's
    /// directories except those that it keeps for the next time.
    #[track_caller]
    fn has_left_nothing(&self, line: &str) {
        assert_eq!(processes_named(line), Vec::<String>::new());
        let kept = fs::read_dir(self.workbook.root.join("target/grade")).expect("list");
        let names = kept.map(|entry| entry.expect("an entry").file_name().display().to_string());
        let left: Vec<String> = names.filter(|name| name.starts_with("notebook")).collect();
        assert_eq!(left, Vec::<String>::new());
        assert_eq!(fs::read_dir(&self.temporary).expect("list").count(), 0);
    }

    /// Grades all notebooks that were handed in and returns the rows by the notebooks' names.
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

/// Returns the number of green exercises, the state of the first that isn't green, and the reason.
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

/// A process that belongs to the same user but has nothing to do with any notebook.
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
    // A page of an older workbook, with a file that the current page doesn't have.
    for (name, edition) in [("older", 1), ("as_old_as_this", 3)] {
        let dir = class.hands_in(name, RIGHT);
        let manifest = format!("[workspace.metadata.workbook]\nedition = {edition}\n");
        fs::write(dir.join("Cargo.toml"), manifest).expect("write");
        let lib = dir.join(STEP).join("src/lib.rs");
        let gone = "#[path = \"../../../step90_fixture/src/gone.rs\"]\nmod gone;\n";
        let shout = "// ANCHOR: shout\nfn shout() -> u32 {\n    1\n}\n// ANCHOR_END: shout\n";
        let text = fs::read_to_string(&lib).expect("read");
        fs::write(lib, text + gone + shout).expect("write");
    }

    let rows = class.rows();
    assert_eq!(rows.len(), 9);
    assert_eq!(outcome(&rows, "older"), (1, "not written".into(), String::new()));
    let kept = rows["older"]["steps"][0]["kept"].get::<Vec<JsonValue>>().expect("a list");
    let kept: Vec<&String> = kept.iter().filter_map(JsonValue::get).collect();
    assert_eq!(kept, ["90.3 shout is gone; its idea is in 90.2 now."]);
    assert_eq!(outcome(&rows, "as_old_as_this").1, "does not compile");
    assert_eq!(outcome(&rows, "right"), (1, "not written".into(), String::new()));
    assert_eq!(outcome(&rows, "builds"), (1, "not written".into(), String::new()));
    assert_eq!(outcome(&rows, "unwritten"), (0, "not written".into(), String::new()));
    let (passed, state, why) = outcome(&rows, "wrong");
    assert!(passed == 0 && state == "red" && why.contains("overflow"), "{state}: {why}");
    let (passed, state, why) = outcome(&rows, "broken");
    assert!(passed == 0 && state == "does not compile" && why.contains("error"), "{state}: {why}");
    for (name, why) in [("empty", "not a notebook"), ("linked", "linked.rs")] {
        let error: &String = rows[name]["error"].get().expect("an error");
        assert!(error.contains(why), "{name}: {error}");
    }
}

#[test]
fn an_optional_exercise_that_is_not_written_counts_for_nothing_and_hides_nothing() {
    let class = Class::new();
    class.hands_in("unwritten", RIGHT);
    let greeting = |name: &str| class.hands_in(name, RIGHT).join(STEP).join("src/greeting.rs");
    let ours = class.workbook.root.join(STEP).join("src/greeting.rs");
    fs::copy(ours, greeting("ours")).expect("copy");
    for (name, body) in [("own", OWN_GREET), ("wrong", "let _ = names; String::new()")] {
        let file = greeting(name);
        let text = fs::read_to_string(&file).expect("read");
        let begin = text.find("todo!(").expect("a body to write");
        let end = begin + text[begin..].find("\n    }\n").expect("its end");
        fs::write(&file, format!("{}{body}{}", &text[..begin], &text[end..])).expect("write");
    }
    let exercises = class.workbook.root.join(STEP).join("exercises.toml");
    let text = fs::read_to_string(&exercises).expect("read");
    let optional = text.replace("name = \"greet\"\n", "name = \"greet\"\noptional = true\n");
    assert_ne!(optional, text);
    fs::write(&exercises, optional).expect("write");

    let rows = class.rows();
    for (name, green, exercises, state, first) in [
        ("unwritten", 1, 1, "green", ""),
        ("ours", 1, 1, "green", ""),
        ("own", 2, 2, "green", ""),
        ("wrong", 1, 2, "red", "90.2 greet"),
    ] {
        let (passed, found, why) = outcome(&rows, name);
        assert_eq!((passed, found.as_str()), (green, state), "{name}: {why}");
        let all: &f64 = rows[name]["steps"][0]["exercises"].get().expect("a number");
        assert_eq!(all.to_string(), exercises.to_string(), "{name}");
        assert_eq!(rows[name]["first"].get::<String>().expect("a text"), first, "{name}");
    }
}

const OWN_GREET: &str =
    "names.into_iter().map(|name| format!(\"{}, {}\\n\", self.word, polite(name))).collect()";

#[test]
fn the_table_says_what_is_limited_and_which_seed_it_had() {
    let class = Class::new();
    let right = class.hands_in("right", RIGHT).display().to_string();
    let ran = class.grade(&["--seed", "4711", &right]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for text in
        ["Limited while", "no access to", "Not limited:\n", "Seed 4711;", "1/2", "90.2 greet"]
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

/// Reads the reference's kept run, without the program's identity: cargo may have built the program
/// again.
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
