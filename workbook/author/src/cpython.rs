//! The CPython interpreter that shows asyncio's behaviour: its version, its command line, and its
//! environment.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A version of CPython, such as `(3, 12)`.
pub type Version = (u32, u32);

/// The oldest usable version, which introduced `asyncio.Task.cancelling`, `TaskGroup`, and
/// `asyncio.run`'s handling of SIGINT.
const OLDEST: Version = (3, 11);

/// An interpreter that's recent enough.
#[derive(Clone)]
pub(super) struct Interpreter {
    name: String,
    pub(super) version: Version,
}

impl Interpreter {
    /// Finds `python3`, or the interpreter in the environment variable `WORKBOOK_PYTHON`.
    ///
    /// If the interpreter is missing or too old, prints a message and returns `None`. If `CI` is
    /// set, panics instead, because nobody would read the message in a CI run.
    pub(super) fn find() -> Option<Self> {
        let name = env::var("WORKBOOK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let version = version_of(&name).filter(|version| *version >= OLDEST);
        if version.is_none() {
            assert!(env::var_os("CI").is_none(), "this needs {name} to be 3.11 or later");
            println!("{name} isn't CPython 3.11 or later, so it wasn't asked");
        }
        Some(Interpreter { name, version: version? })
    }

    /// Returns a command that runs a program, which can import modules from its own folder and from
    /// `folders`.
    pub(super) fn command(&self, program: &Path, folders: &[PathBuf]) -> Command {
        let mut command = undisturbed(&self.name);
        command
            .env("PYTHONPATH", env::join_paths(folders).expect("folders without a colon"))
            .args(["-s", "-B"])
            .arg(program);
        command.stdout(Stdio::piped());
        command
    }

    /// Returns a command that runs Python with these arguments and redirects standard error to
    /// standard output.
    pub(super) fn in_one_stream(&self, arguments: &[&str]) -> Command {
        let mut command = undisturbed("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 2>&1", &self.name, "-s", "-B"]).args(arguments);
        command.env("PYTHONUNBUFFERED", "1").stdout(Stdio::piped());
        command
    }
}

/// Returns a command that runs a program without the user's `PYTHON*` variables, which shouldn't
/// affect the program.
fn undisturbed(program: &str) -> Command {
    let mut command = Command::new(program);
    let variables = env::vars_os().map(|(name, _)| name);
    for name in variables.filter(|name| name.to_string_lossy().starts_with("PYTHON")) {
        command.env_remove(name);
    }
    command
}

fn version_of(name: &str) -> Option<Version> {
    let print = "import sys; print(sys.version_info.major, sys.version_info.minor)";
    let output = Command::new(name).args(["-c", print]).output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = printed.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
