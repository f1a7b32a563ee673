//! What a reader is told after their page has killed the runner, or changed what it's judged by.

#[path = "common/copy.rs"]
mod copy;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use copy::{Ran, STEP, Workbook, ran};
use rustix::process::{Pid, Signal, kill_process};

fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    workbook.run(&[]);
    workbook
}

const KILLED: &str = "The last run was killed while it judged your page of step90_fixture";

#[test]
fn after_a_runner_was_killed_the_next_one_says_so_once() {
    let workbook = workbook();
    workbook.write_body(
        "src/numbers/mod.rs",
        "unsafe extern \"C\" { fn getppid() -> i32; fn kill(process: i32, signal: i32) -> i32; }
    unsafe { kill(getppid(), 9) };
    number.wrapping_mul(2)",
    );
    let killed = workbook.run(&[]);
    assert_eq!(killed.code, None, "{killed:?}");
    fs::remove_dir_all(workbook.page("src")).expect("start over");
    assert!(workbook.run(&[]).out.replace('\n', " ").contains(KILLED));
    assert!(!workbook.run(&[]).out.replace('\n', " ").contains(KILLED));
}

/// A snapshot, and what a page would like it to say.
struct Forgery {
    snapshot: PathBuf,
    key: String,
    forged: String,
}

impl Forgery {
    fn of(workbook: &Workbook) -> Forgery {
        let snapshot = workbook.root.join(STEP).join("tests/snapshots/the_largest_number.snap");
        let key = fs::read_to_string(&snapshot).expect("read");
        let forged = key.replace("4294967294", "7");
        assert_ne!(forged, key);
        Forgery { snapshot, key, forged }
    }

    /// Returns the statement that rewrites the snapshot.
    fn statement(&self) -> String {
        format!("let _ = std::fs::write({:?}, {:?});", self.snapshot.display(), self.forged)
    }

    /// Checks that the page is red, and the snapshot what it was.
    #[track_caller]
    fn did_not_help(&self, ran: &Ran) {
        assert!(ran.out.contains("✗ 90.1 double                  red"), "{ran:?}");
        assert_eq!(fs::read_to_string(&self.snapshot).expect("read"), self.key);
    }
}

impl Drop for Forgery {
    fn drop(&mut self) {
        let _ = fs::write(&self.snapshot, &self.key);
    }
}

/// Wrong only where no trial looks.
const SEVEN: &str = "if number == u32::MAX { 7 } else { number.wrapping_mul(2) }";
const KILLS: &str =
    "unsafe extern \"C\" { fn getppid() -> i32; fn kill(process: i32, signal: i32) -> i32; }
    unsafe { kill(getppid(), 9) };";

#[test]
fn a_page_that_changes_a_snapshot_is_judged_by_the_old_one_which_is_put_back() {
    let workbook = workbook();
    let forgery = Forgery::of(&workbook);
    workbook.write_body("src/numbers/mod.rs", &format!("{}\n    {SEVEN}", forgery.statement()));
    for _ in 0..2 {
        let ran = workbook.run(&[]);
        assert!(ran.err.contains("the_largest_number.snap was changed"), "{}", ran.err);
        forgery.did_not_help(&ran);
    }
}

#[test]
fn what_a_snapshot_says_after_the_workbook_was_built_does_not_matter() {
    let workbook = workbook();
    let forgery = Forgery::of(&workbook);
    workbook.write_body("src/numbers/mod.rs", SEVEN);
    assert!(workbook.run(&[]).out.contains("✗ 90.1 double                  red"));
    fs::write(&forgery.snapshot, &forgery.forged).expect("write");
    // Cargo would build it again.
    let program = Command::new(workbook.root.join("target/debug").join(STEP))
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join(STEP))
        .stdin(Stdio::null())
        .output();
    let ran = ran(program.expect("run the step's program"));
    assert!(ran.out.contains("✗ 90.1 double                  red"), "{ran:?}");
    // It isn't the page that changed it.
    assert_eq!(fs::read_to_string(&forgery.snapshot).expect("read"), forgery.forged);
}

#[test]
fn a_page_that_changes_a_snapshot_while_it_is_compiled_is_judged_by_the_old_one() {
    let workbook = workbook();
    let forgery = Forgery::of(&workbook);
    // Cargo runs a file of that name before it compiles the package.
    let script = |ending: &str| format!("fn main() {{ {} {ending} }}\n", forgery.statement());
    workbook.write_body("src/numbers/mod.rs", SEVEN);
    fs::write(workbook.page("build.rs"), script("")).expect("write");
    forgery.did_not_help(&workbook.run(&[]));
    fs::write(workbook.page("build.rs"), script("std::process::exit(1)")).expect("write");
    assert_eq!(workbook.run(&[]).code, Some(1));
    assert_eq!(fs::read_to_string(&forgery.snapshot).expect("read"), forgery.key);
    fs::remove_file(workbook.page("build.rs")).expect("remove");
}

#[test]
fn a_page_that_is_ended_by_the_reader_leaves_no_changed_snapshot_behind() {
    let workbook = workbook();
    let forgery = Forgery::of(&workbook);
    let forever = "loop { std::thread::park() }";
    let body = format!("{}\n    {forever}", forgery.statement());
    workbook.write_body("src/numbers/mod.rs", &body);
    let mut command = workbook.command(&[]);
    let mut runner = command.env("WORKBOOK_PATIENCE", "600").spawn().expect("run cargo");
    let deadline = Instant::now() + Duration::from_mins(4);
    while fs::read_to_string(&forgery.snapshot).expect("read") != forgery.forged {
        assert!(Instant::now() < deadline, "the page doesn't run");
        thread::sleep(Duration::from_millis(5));
    }
    // `cargo run` has become the runner.
    kill_process(Pid::from_child(&runner), Signal::INT).expect("send the signal");
    assert_eq!(runner.wait().expect("wait for the runner").code(), Some(130));
    assert_eq!(fs::read_to_string(&forgery.snapshot).expect("read"), forgery.key);
}

#[test]
fn a_page_that_changes_a_snapshot_and_kills_the_runner_is_not_judged_until_it_is_put_back() {
    let workbook = workbook();
    let forgery = Forgery::of(&workbook);
    let once = format!("if number == 2 {{ {} {KILLS} }}", forgery.statement());
    workbook.write_body("src/numbers/mod.rs", &format!("{once}\n    {SEVEN}"));
    assert_eq!(workbook.run(&[]).code, None);
    assert_eq!(fs::read_to_string(&forgery.snapshot).expect("read"), forgery.forged);
    for words in [&[][..], &["list"], &["hint"], &[]] {
        let ran = workbook.run(words);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.err.contains("git checkout step90_fixture/tests/snapshots"), "{ran:?}");
    }
    fs::write(&forgery.snapshot, &forgery.key).expect("put it back");
    fs::remove_dir_all(workbook.page("src")).expect("start over");
    workbook.run(&["list"]);
    workbook.write_body("src/numbers/mod.rs", SEVEN);
    forgery.did_not_help(&workbook.run(&[]));
}

#[test]
fn a_page_that_changes_a_kept_run_of_the_reference_is_compared_with_the_old_one() {
    let workbook = workbook();
    workbook.solve_double();
    workbook.run(&[]);
    let kept = workbook.root.join("target/debug/step90_fixture.runs/any_number");
    let honest = fs::read(&kept).expect("the reference's run");
    // The page is right where scenes look, and wrong for a number that only the trial has.
    let text = String::from_utf8_lossy(&honest).into_owned();
    let numbers = text.lines().filter_map(|line| line.strip_prefix("double ")?.split_once(": "));
    let mut numbers = numbers.filter_map(|(number, _)| number.parse::<u32>().ok());
    let number = numbers.find(|number| *number > 500).expect("a number");
    let [right, wrong] =
        [2 * number, 2 * number + 1].map(|double| format!("double {number}: {double}"));
    let forged = workbook.root.join("target/forged");
    fs::write(&forged, replaced(&honest, right.as_bytes(), wrong.as_bytes())).expect("write");
    // Cargo runs it before anything is compared.
    let script = format!(
        "fn main() {{ std::fs::copy({:?}, {:?}).expect(\"copy\"); }}\n",
        forged.display(),
        kept.display()
    );
    fs::remove_dir_all(workbook.page("src")).expect("start over");
    workbook.run(&[]);
    let right = "number.wrapping_mul(2)";
    let body = format!("if number == {number} {{ {number} * 2 + 1 }} else {{ {right} }}");
    workbook.write_body("src/numbers/mod.rs", &body);
    fs::write(workbook.page("build.rs"), script).expect("write");
    for _ in 0..2 {
        let ran = workbook.run(&[]);
        assert!(ran.out.contains("✗ 90.1 double                  red"), "{ran:?}");
    }
}

/// Replaces a text by another one of the same length, wherever it is.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = bytes.to_vec();
    let places = bytes.windows(from.len()).enumerate().filter(|(_, window)| *window == from);
    for (at, _) in places {
        replaced[at..at + to.len()].copy_from_slice(to);
    }
    replaced
}
