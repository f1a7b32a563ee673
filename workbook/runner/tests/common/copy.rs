//! A small copy of the workbook, which has one step with two exercises, for tests that do what a
//! reader does. The copy is in `target/`, and cargo builds it just like the workbook.
//!
//! Each test has a copy to itself while it runs. The compiled files in that copy stay for the next
//! test in this program or a different program. There are as many copies as tests that run
//! simultaneously, and a new copy starts with the compiled files of an older copy.

#![allow(dead_code, reason = "each test file is a program of its own, and uses a part")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) const STEP: &str = "step90_fixture";
pub(crate) const ABOVE: &str = "step91_above";
pub(crate) const TOP: &str = "step92_top";

/// The copy of the workbook.
pub(crate) struct Workbook {
    pub(crate) root: PathBuf,
    /// Keeps other tests from using this copy until the file is closed.
    _lock: File,
}

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workbook {
    /// Makes a copy without a notebook.
    pub(crate) fn fresh() -> Workbook {
        Workbook::with_steps(&[STEP])
    }

    /// Creates a copy with three steps: the second builds on the first, and the third builds on
    /// both.
    pub(crate) fn with_layers() -> Workbook {
        Workbook::with_steps(&[STEP, ABOVE, TOP])
    }

    fn with_steps(steps: &[&str]) -> Workbook {
        let free = |name: String| Some((try_lock(&name)?, name));
        let mut copies = (1..).map(|number| format!("copy-{number}"));
        let (lock, name) = copies.find_map(free).expect("there's always another one");
        Workbook::named(&name, lock, steps).compiled()
    }

    /// Gives a new copy the compiled files of a copy that no test is using.
    fn compiled(self) -> Workbook {
        if !self.root.join("target").exists() {
            let lock = lock_file("copy-0");
            lock.lock().expect("wait for the lock");
            let first = Workbook::named("copy-0", lock, &[STEP]);
            first.run(&[]);
            first.cargo_in(".", &["build", "--quiet", "-p", "runner"]);
            // The copy keeps the files' times, by which cargo sees which results are up to date.
            let mut copy = Command::new("cp");
            copy.arg("--archive").arg(first.root.join("target")).arg(&self.root);
            assert!(copy.status().expect("run cp").success());
        }
        self
    }

    fn named(name: &str, lock: File, steps: &[&str]) -> Workbook {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let real = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
        let fixture = real.join("workbook/runner/tests/fixture");
        fs::create_dir_all(&root).expect("make the copy");

        let manifest = fs::read_to_string(real.join("Cargo.toml")).expect("read the manifest");
        let (before, after) = manifest.split_once("members = [").expect("its members");
        let (named, after) = after.split_once("exclude").expect("what it excludes");
        let (excluded, after) = after.split_once("parts = [").expect("its parts");
        let (_, after) = after.split_once(']').expect("the end of its parts");
        let after = format!("{excluded}parts = {steps:?}{after}");
        // The machinery, except for the packages that build on the steps.
        let is_kept = |it: &&str| {
            let apart = ["builder", "cockpit", "class"];
            it.strip_prefix("workbook/").is_some_and(|name| !apart.contains(&name))
        };
        let members: Vec<&str> = named.split('"').filter(is_kept).chain(steps.to_vec()).collect();
        let members = format!("members = {members:?}\nexclude");
        let offered: Vec<String> =
            steps.iter().map(|step| format!("{step} = {{ path = {step:?} }}\n")).collect();
        let offered = format!("[workspace.dependencies]\n{}", offered.concat());
        let after = after.replace("[workspace.dependencies]\n", &offered);
        // Keep the old file if its text is the same, so that cargo doesn't rebuild it.
        write_if_new(&root.join("Cargo.toml"), &format!("{before}{members}{after}"));
        if !root.join("Cargo.lock").exists() {
            fs::copy(real.join("Cargo.lock"), root.join("Cargo.lock")).expect("copy the lock file");
        }
        link(&real.join("workbook"), &root.join("workbook"));
        for step in [STEP, ABOVE, TOP].iter().filter(|step| !steps.contains(step)) {
            let _ = fs::remove_dir_all(root.join(step));
        }
        for step in steps {
            let _ = fs::remove_dir_all(root.join(step).join("tests/answers"));
            copy_dir(&fixture.join(step), &root.join(step));
        }
        let _ = fs::remove_dir_all(root.join("book"));
        let _ = fs::remove_file(root.join("work"));
        for notebook in ["work", "work-before", "work-before-2", "work-new"] {
            let _ = fs::remove_dir_all(root.join(notebook));
        }
        Workbook { root, _lock: lock }
    }

    /// Returns the path of a file on the reader's page.
    pub(crate) fn page(&self, file: &str) -> PathBuf {
        self.root.join("work").join(STEP).join(file)
    }

    /// Runs `cargo run -p step90_fixture -- WORDS` in the root.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        ran(self.command(words).output().expect("run cargo"))
    }

    /// Begins the step and compiles its page, which shows cargo's progress the first time.
    pub(crate) fn begin(&self) {
        self.run(&[]);
        self.cargo_in("work", &["build", "--quiet"]);
    }

    /// Runs `cargo run -p author -- WORDS` in the root.
    pub(crate) fn author(&self, words: &[&str]) -> Ran {
        ran(self
            .cargo(&["run", "--quiet", "-p", "author", "--"])
            .args(words)
            .output()
            .expect("run cargo"))
    }

    /// Runs cargo with these words in a directory of the copy.
    pub(crate) fn cargo_in(&self, dir: &str, words: &[&str]) -> Ran {
        let mut command = self.cargo(words);
        ran(command.current_dir(self.root.join(dir)).output().expect("run cargo"))
    }

    /// Begins a step and writes the reference's bodies.
    pub(crate) fn solve(&self, step: &str) {
        self.cargo_in(".", &["run", "--quiet", "-p", step]);
        copy_dir(&self.root.join(step).join("src"), &self.root.join("work").join(step).join("src"));
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.cargo(&["run", "--quiet", "-p", STEP, "--"]);
        command.args(words);
        command
    }

    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let mut command = kit::as_in_a_terminal(env!("CARGO"));
        command
            .current_dir(&self.root)
            .args(words)
            .env_remove("CARGO_TARGET_DIR")
            // Without the notebook's line numbers, a panic has no calls.
            .env_remove("CARGO_PROFILE_DEV_DEBUG")
            .env_remove("RUST_BACKTRACE")
            .env("COLUMNS", "80")
            .stdin(Stdio::null());
        command
    }

    /// Writes a file in the copy's book, such as `index/step90.toml`.
    pub(crate) fn write_book(&self, file: &str, text: &str) {
        let file = self.root.join("book").join(file);
        fs::create_dir_all(file.parent().expect("a directory")).expect("make the book");
        fs::write(file, text).expect("write it");
    }

    /// Replaces the starter's body on the page.
    pub(crate) fn write_body(&self, file: &str, body: &str) {
        let file = self.page(file);
        let text = fs::read_to_string(&file).expect("read the page");
        let begin = text.find("todo!(").expect("a body to write");
        let end = begin
            + text[begin..].find("\n    }\n").or(text[begin..].find("\n}\n")).expect("its end");
        let written = format!("{}{body}{}", &text[..begin], &text[end..]);
        fs::write(&file, written).expect("write the page");
    }

    pub(crate) fn solve_double(&self) {
        self.write_body("src/numbers/mod.rs", "number.wrapping_mul(2)");
    }

    pub(crate) fn solve_greet(&self) {
        let body = "names.into_iter().map(|name| format!(\"{}, {}\\n\", self.word, polite(name))).collect()";
        self.write_body("src/greeting.rs", body);
    }
}

/// Locks a copy, unless a test is using it.
fn try_lock(name: &str) -> Option<File> {
    let file = lock_file(name);
    file.try_lock().ok().map(|()| file)
}

fn lock_file(name: &str) -> File {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("lock");
    File::create(file).expect("make the lock")
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn link(to: &Path, at: &Path) {
    // If `target/` was copied from another workbook, the link still points to that workbook.
    if fs::read_link(at).ok().as_deref() != Some(to) {
        let _ = fs::remove_file(at);
        std::os::unix::fs::symlink(to, at).expect("link the workbook's crates");
    }
}

fn write_if_new(file: &Path, text: &str) {
    if fs::read_to_string(file).ok().as_deref() != Some(text) {
        fs::write(file, text).expect("write a file of the copy");
    }
}

pub(crate) fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("make a directory of the copy");
    for entry in fs::read_dir(from).expect("list the fixture") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_dir(&from, &to);
        } else {
            write_if_new(&to, &fs::read_to_string(&from).expect("read the fixture"));
        }
    }
}
