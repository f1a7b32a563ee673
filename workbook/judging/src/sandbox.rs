//! The place in which other people's pages are built and run: a teacher's program names a sandbox
//! before it judges them. A reader's own page doesn't have a sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::run::SceneRun;

/// A run of the program to judge, or of the reference's program for comparison.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct Asked {
    /// The program.
    pub program: PathBuf,
    /// The program's command line: which scene, or which programs of which trial.
    pub words: Vec<String>,
    /// A variable for the program's environment, and its value.
    pub variable: Option<(String, String)>,
    /// The time limit.
    pub patience: Duration,
}

/// A sandbox for everything that this process judges.
pub trait Sandbox: Send + Sync {
    /// Runs a program inside the sandbox, otherwise as [`run_here`](crate::run::run_here) does.
    ///
    /// Fails if there can't be a sandbox. Anything that the program does is in the result.
    fn run(&self, asked: &Asked) -> anyhow::Result<SceneRun>;

    /// Makes the command that runs cargo, and the compiler and the linker that it starts, inside.
    /// They build a page of the notebook in a directory.
    fn compiler(&self, cargo: &Command, notebook: &Path) -> anyhow::Result<Command>;

    /// Returns the longest time that a page may take to compile.
    fn longest_build(&self) -> Duration;
}

static SANDBOX: OnceLock<Box<dyn Sandbox>> = OnceLock::new();

/// Sets the sandbox for all later builds and runs. It can be set only once.
pub fn set(sandbox: impl Sandbox + 'static) {
    let _ = SANDBOX.set(Box::new(sandbox));
}

/// Returns the sandbox, if a sandbox was set.
pub(crate) fn sandbox() -> Option<&'static dyn Sandbox> {
    SANDBOX.get().map(|sandbox| &**sandbox)
}
