//! Twins: Python programs, each of which checks a scene's claims about asyncio on CPython.
//!
//! The twin of the scene NAME is `tests/python/twins/NAME.py` in the scene's package. It repeats
//! the scene's actions on CPython and must print the scene's transcript, byte for byte. Modules
//! that several twins use are in the folder `support` next to the twins.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

use crate::at_a_time::at_a_time;
use crate::cpython::Interpreter;
use judging::workbook::{Workbook, read};

/// The time limit for a program. The limit is generous even for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs each of a step's twins and compares its output with the snapshot of its scene.
///
/// Without Python 3.11 or later, prints a message and passes, or panics if `CI` is set.
pub fn agree(manifest_dir: &str, package: &str) {
    let Some(python) = Interpreter::find() else { return };
    let workbook = Workbook::of(manifest_dir).expect("a copy of the workbook");
    let twins = twins_of(&workbook.step(package));
    assert!(!twins.is_empty(), "{package} has no twins");
    // An interpreter takes longer to start than most twins take to run, so we start one interpreter
    // per core.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let differing = at_a_time(cores, twins.len(), |_, number| {
        difference(&python, &workbook, package, &twins[number])
    });
    let differing: Vec<String> = differing.into_iter().flatten().collect();
    assert!(differing.is_empty(), "\n{}", differing.join("\n"));
}

/// Returns the output of one of the Python programs in a step's tests, to check the book's claims
/// about CPython. Without Python 3.11 or later, returns `None`, or panics if `CI` is set.
pub fn ask_cpython(manifest_dir: &str, package: &str, program: &str) -> Option<String> {
    let python = Interpreter::find()?;
    let workbook = Workbook::of(manifest_dir).expect("a copy of the workbook");
    let program = workbook.step(package).join("tests").join(program);
    let output = run(python.command(&program, &[]), &program);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the code of a scene's twin, without its docstring, if the scene has a twin.
pub fn code_of(step: &Path, scene: &str) -> anyhow::Result<Option<String>> {
    let path = step.join(format!("tests/python/twins/{scene}.py"));
    if !path.exists() {
        return Ok(None);
    }
    let program = read(&path)?;
    let code = program.strip_prefix("\"\"\"").and_then(|after| after.split_once("\"\"\""));
    let (_docstring, code) =
        code.with_context(|| format!("{} has no docstring", path.display()))?;
    Ok(Some(code.trim().to_owned()))
}

/// Runs a program until it exits and returns its output. Panics if the program takes longer than
/// [`PATIENCE`].
pub(crate) fn run(mut command: Command, program: &Path) -> Output {
    command.stderr(Stdio::piped());
    let child = command.spawn().expect("run python3");
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(PATIENCE) else {
        // An error means that the program has just exited by itself.
        let _ = kill_process(pid, Signal::KILL);
        panic!("{} didn't end within {PATIENCE:?}", program.display());
    };
    output.expect("what python3 printed")
}

fn twins_of(step: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(step.join("tests/python/twins")).expect("list the twins");
    let paths = entries.map(|entry| entry.expect("a twin").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect()
}

/// Describes the difference between a twin's output and the snapshot of its scene. Returns `None`
/// if the two agree and the twin has exited successfully.
fn difference(
    python: &Interpreter,
    workbook: &Workbook,
    package: &str,
    twin: &Path,
) -> Option<String> {
    let name = twin.file_stem()?.to_str()?;
    let transcript = workbook
        .snapshot(package, name)
        .unwrap_or_else(|error| panic!("the twin {name} has no scene: {error:#}"));

    let output = run(python.command(twin, &[]), twin);
    let printed = String::from_utf8_lossy(&output.stdout);
    if printed.trim_end() == transcript && output.status.success() {
        return None;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Some(format!(
        "{name}: the scene says\n{transcript}\nand CPython says\n{printed}{errors}\n({})",
        output.status
    ))
}
