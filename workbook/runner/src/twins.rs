//! Twins: what a scene says of asyncio, asyncio has to say too.
//!
//! A twin is a Python program, `stepNN/tests/python/twins/NAME.py`, that plays the scene NAME on CPython
//! and must print the scene's transcript, letter by letter.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::root::find_root;

/// What a twin needs: `asyncio.Task.cancelling` and the SIGINT of `asyncio.run` came with 3.11.
const OLDEST_PYTHON: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// More than any of the programs takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs every twin of a step and compares it with the answer key of its scene.
///
/// Without a Python of 3.11 or later it says so and passes, but not where `CI` is set: there
/// nobody would read it.
pub fn agree(manifest_dir: &str, package: &str) {
    if !has_python() {
        assert!(env::var_os("CI").is_none(), "the twins need python3, 3.11 or later");
        println!("no python3 of 3.11 or later here: the twins of {package} were not asked");
        return;
    }
    let root = find_root(Path::new(manifest_dir)).expect("a copy of the workbook");
    let tests = root.join(package).join("tests");
    let twins = twins_of(&tests);
    assert!(!twins.is_empty(), "{package} has no twins");
    let differing: Vec<String> = twins.iter().filter_map(|twin| difference(&tests, twin)).collect();
    assert!(differing.is_empty(), "\n{}", differing.join("\n"));
}

/// What a Python program of a step's tests prints, for what the book says of CPython alone. `None`
/// without a Python of 3.11 or later, but not where `CI` is set.
pub fn ask_cpython(manifest_dir: &str, package: &str, program: &str) -> Option<String> {
    if !has_python() {
        assert!(env::var_os("CI").is_none(), "this needs python3, 3.11 or later");
        println!("no python3 of 3.11 or later here: it was not asked");
        return None;
    }
    let root = find_root(Path::new(manifest_dir)).expect("a copy of the workbook");
    let program = root.join(package).join("tests").join(program);
    let output = run_python(&program);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program to its end, which must come within the time of [`PATIENCE`].
fn run_python(program: &Path) -> Output {
    // -I: neither the reader's PYTHON* variables nor packages of theirs change what it does.
    let mut command = Command::new("python3");
    command.arg("-I").arg(program).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("run python3");
    let pid = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = told.recv_timeout(PATIENCE) else {
        // If it ends just now, there is nobody to end.
        let _ = kill_process(pid, Signal::KILL);
        panic!("{} has not ended within {PATIENCE:?}", program.display());
    };
    output.expect("what python3 printed")
}

fn has_python() -> bool {
    let asked = Command::new("python3").args(["-c", OLDEST_PYTHON]).status();
    asked.is_ok_and(|status| status.success())
}

fn twins_of(tests: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(tests.join("python/twins")).expect("list the twins");
    let paths = entries.map(|entry| entry.expect("a twin").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect()
}

/// How the twin and the answer key differ, if they do.
fn difference(tests: &Path, twin: &Path) -> Option<String> {
    let name = twin.file_stem()?.to_str()?;
    let key = fs::read_to_string(tests.join("snapshots").join(format!("{name}.snap")))
        .unwrap_or_else(|error| panic!("the twin {name} has no scene: {error}"));
    let (_header, transcript) = key.split_once("\n---\n").expect("a header and a transcript");

    let output = run_python(twin);
    let printed = String::from_utf8_lossy(&output.stdout);
    if printed.trim_end() == transcript.trim_end() && output.status.success() {
        return None;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Some(format!(
        "{name}: the scene says\n{transcript}\nand CPython says\n{printed}{errors}\n({})",
        output.status
    ))
}
