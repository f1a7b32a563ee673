//! Builds and runs the programs in a step's `examples/`, for the step's tests.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::time_limit::counts_from;

/// The workbook's root, two directories above this package.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The programs that this process has built, by package and name. Tests run side by side, but cargo
/// runs only once for all of a package's examples: even when nothing has to be compiled, cargo
/// takes as long as many tests.
static BUILT: Mutex<BTreeMap<String, BTreeMap<String, PathBuf>>> = Mutex::new(BTreeMap::new());

/// Returns a command that runs a step's `examples/NAME.rs` in the root, as a terminal would. The
/// program is built from its current source.
///
/// A page of the notebook has no examples, so its tests run the step's examples.
#[track_caller]
pub fn example(package: &str, name: &str) -> Command {
    let mut command = as_in_a_terminal(example_program(package, name));
    command.current_dir(ROOT);
    command
}

/// Builds a step's current examples, unless this process has already built them, and returns the
/// path of the program `examples/NAME.rs`.
#[track_caller]
pub fn example_program(package: &str, name: &str) -> PathBuf {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = built.entry(package.to_owned()).or_insert_with(|| build(package));
    let program = programs.get(name);
    program.unwrap_or_else(|| panic!("{package} has no example `{name}`")).clone()
}

/// Returns a command that runs a program as a terminal would: with the default actions for SIGHUP,
/// SIGINT, SIGQUIT and SIGTERM. Otherwise, the program could inherit an ignored signal, for example
/// if a script runs the test in the background.
pub fn as_in_a_terminal(program: impl AsRef<OsStr>) -> Command {
    // `env` is at this path, regardless of PATH.
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal=HUP,INT,QUIT,TERM").arg(program);
    command
}

/// Builds a package's examples and returns the paths of their programs. The dependencies are built
/// with all the features that the whole workspace needs. With only the features that the step
/// needs, cargo would have to compile most dependencies again.
#[track_caller]
fn build(package: &str) -> BTreeMap<String, PathBuf> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(ROOT).args(["build", "--workspace", "--message-format", "json"]);
    let names = names_of_examples(package);
    cargo.args(names.iter().flat_map(|name| ["--example", name]));
    counts_from(Instant::now() + Duration::from_mins(10));
    let built = cargo.output();
    counts_from(Instant::now());
    let built = built.unwrap_or_else(|error| panic!("run cargo: {error}"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8_lossy(&built.stdout);
    let of_package = format!("/{package}#");
    let programs = messages.lines().filter(|message| message.contains(&of_package));
    let programs = programs.filter_map(|message| {
        let (_, program) = message.split_once("\"executable\":\"")?;
        let program = PathBuf::from(program.split('"').next()?);
        Some((program.file_stem()?.to_str()?.to_owned(), program))
    });
    programs.collect()
}

/// Lists a package's examples: files, and directories with a `main.rs`.
#[track_caller]
fn names_of_examples(package: &str) -> Vec<String> {
    let dirs = [package, &format!("beyond/{package}")]
        .map(|dir| PathBuf::from(ROOT).join(dir).join("examples"));
    let entries = dirs.iter().find_map(|dir| fs::read_dir(dir).ok());
    let entries = entries.unwrap_or_else(|| panic!("{package} has no examples"));
    let paths = entries.map(|entry| entry.expect("read the examples").path());
    let programs = paths.filter(|path| path.is_file() || path.join("main.rs").exists());
    programs.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}
