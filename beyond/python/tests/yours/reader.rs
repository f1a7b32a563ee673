//! A reader with a notebook: a root directory with links to everything in the workbook except
//! `work/` and `target/`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use exercises::Exercise;
use judging::Step;
use judging::notebook::Notebook;
use judging::notebook::given::Change;
use judging::workbook::Workbook;

/// A reader's copy of the workbook, for use by one test at a time.
pub(crate) struct Reader {
    notebook: Notebook,
    /// A lock on the copy: no other test uses it before this file is closed.
    _lock: File,
}

/// The exit code and the output of a reader's program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Reader {
    /// Makes a notebook whose pages have the reference's bodies, with the first `layers` layers in
    /// use.
    pub(crate) fn with_their_own(layers: usize) -> Reader {
        let real = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reader");
        fs::create_dir_all(&root).unwrap();
        let lock = File::create(root.join("lock")).unwrap();
        lock.lock().unwrap();
        for entry in fs::read_dir(real).unwrap() {
            let name = entry.unwrap().file_name();
            let is_theirs = ["work", "target", ".git"].iter().any(|theirs| name == *theirs);
            let to = root.join(&name);
            if !is_theirs && fs::symlink_metadata(&to).is_err() {
                std::os::unix::fs::symlink(real.join(&name), to).unwrap();
            }
        }
        let notebook = Notebook::of(Workbook::at(root).unwrap());
        let _ = fs::remove_dir_all(notebook.dir.join(".state"));
        for name in notebook.workbook.steps().unwrap() {
            let _ = fs::remove_dir_all(notebook.page(&name));
        }
        let _ = fs::remove_file(notebook.dir.join("Cargo.toml"));
        for name in notebook.layers().unwrap() {
            notebook.carry_page(&name, &notebook.workbook.step(&name).join("src")).unwrap();
            let step = Step::without_checks(&notebook.workbook, &name).unwrap();
            notebook.change(&mut notebook.choice(), &step, |_| Some(Change::Give)).unwrap();
        }
        for name in notebook.layers().unwrap().iter().take(layers) {
            notebook.switch_layer(name, true).unwrap();
        }
        Reader { notebook, _lock: lock }
    }

    /// Replaces an exercise's body with the starter.
    pub(crate) fn start_over(&self, package: &str, name: &str) {
        let step = Step::without_checks(&self.notebook.workbook, package).unwrap();
        let again = |exercise: &Exercise| (exercise.name == name).then_some(Change::TakeBack);
        let changed = self.notebook.change(&mut self.notebook.choice(), &step, again).unwrap();
        assert_eq!(changed.again.len(), 1, "{name}: {changed:?}");
    }

    /// Inserts a statement at the beginning of a body. Returns the file's previous text.
    pub(crate) fn begin(&self, place: (&str, &str), statement: &str) -> String {
        self.replace(place, &format!("{} if true {{ {statement} }}\n", place.1))
    }

    /// Replaces part of a file. Returns the file's previous text.
    pub(crate) fn replace(&self, (file, before): (&str, &str), after: &str) -> String {
        let file = self.notebook.dir.join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(before).count(), 1, "{before} in {}", file.display());
        fs::write(&file, text.replace(before, after)).unwrap();
        text
    }

    /// Restores a file's previous text.
    pub(crate) fn put_back(&self, (file, _): (&str, &str), text: &str) {
        fs::write(self.notebook.dir.join(file), text).unwrap();
    }

    /// Runs a Python program with `run-mine python`.
    pub(crate) fn python(&self, program: &str) -> Ran {
        let mut run = self.run_mine(program);
        let out = read(run.stdout.take().unwrap(), |_| false);
        let err = read(run.stderr.take().unwrap(), |_| false);
        let code = run.wait().unwrap().code();
        Ran { code, out: out.join().unwrap(), err: err.join().unwrap() }
    }

    /// Runs a program until the watchdog has reported where it hangs, then kills the program.
    pub(crate) fn python_until_it_hangs(&self, program: &str) -> Ran {
        let mut run = self.run_mine(program);
        let out = read(run.stdout.take().unwrap(), |_| false);
        let err = read(run.stderr.take().unwrap(), |line| line.ends_with("in <module>\n"));
        let err = err.join().unwrap();
        run.kill().unwrap();
        Ran { code: run.wait().unwrap().code(), out: out.join().unwrap(), err }
    }

    /// Runs a program that never ends by itself, and kills it `seconds` seconds after its first
    /// output.
    pub(crate) fn python_for(&self, program: &str, seconds: u64) -> Ran {
        let mut run = self.run_mine(&format!("print('begins', flush=True)\n{program}"));
        let (begins, begun) = mpsc::channel();
        let mut out = BufReader::new(run.stdout.take().unwrap());
        let out = thread::spawn(move || {
            let mut text = String::new();
            out.read_line(&mut text).unwrap();
            begins.send(()).unwrap();
            out.read_to_string(&mut text).unwrap();
            text
        });
        let err = read(run.stderr.take().unwrap(), |_| false);
        begun.recv().unwrap();
        let is_over = begun.recv_timeout(Duration::from_secs(seconds));
        assert_eq!(is_over, Err(RecvTimeoutError::Timeout), "it has ended");
        run.kill().unwrap();
        let code = run.wait().unwrap().code();
        Ran { code, out: out.join().unwrap(), err: err.join().unwrap() }
    }

    fn run_mine(&self, program: &str) -> Child {
        let root = &self.notebook.workbook.root;
        let file = root.join("target/program.py");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, program).unwrap();
        // Each of these programs turns into the next: cargo, the runner, cargo again, the launcher,
        // Python.
        Command::new(env!("CARGO"))
            .current_dir(root)
            .args(["run", "--quiet", "--", "run-mine", "python", "--"])
            .arg(&file)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .env("WORKBOOK_WATCH", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// Reads on a new thread, to the end or to the first line for which `is_last` returns true.
fn read(from: impl Read + Send + 'static, is_last: fn(&str) -> bool) -> JoinHandle<String> {
    thread::spawn(move || {
        let (mut from, mut text, mut line) = (BufReader::new(from), String::new(), String::new());
        while from.read_line(&mut line).unwrap() > 0 {
            text += &line;
            if is_last(&line) {
                break;
            }
            line.clear();
        }
        text
    })
}
