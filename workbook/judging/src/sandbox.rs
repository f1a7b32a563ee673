//! Where other people's pages are built and run: a teacher's program names a sandbox before it
//! judges them. A reader's own page has none.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::run::SceneRun;

/// A run of a program that's judged, or of the reference's that it's compared with.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct Asked {
    /// The program.
    pub program: PathBuf,
    /// Its command line: which scene, or which programs of which trial.
    pub words: Vec<String>,
    /// A variable of its environment, and the value.
    pub variable: Option<(String, String)>,
    /// The time limit.
    pub patience: Duration,
}

/// A sandbox for everything that this process judges.
pub trait Sandbox: Send + Sync {
    /// Runs a program inside, otherwise as [`run_here`](crate::run::run_here) does.
    ///
    /// Fails if there can't be a sandbox; whatever the program does is in the result.
    fn run(&self, asked: &Asked) -> anyhow::Result<SceneRun>;

    /// Makes the command that runs cargo, and the compiler and the linker that it starts, inside.
    /// They build a page of the notebook in a directory.
    fn compiler(&self, cargo: &Command, notebook: &Path) -> anyhow::Result<Command>;

    /// How long a page may take to compile.
    fn longest_build(&self) -> Duration;
}

static SANDBOX: OnceLock<Box<dyn Sandbox>> = OnceLock::new();

/// Sets the sandbox for everything that's built and run from now on. It can be set once.
pub fn set(sandbox: impl Sandbox + 'static) {
    let _ = SANDBOX.set(Box::new(sandbox));
}

/// Returns the sandbox, if there is one.
pub(crate) fn sandbox() -> Option<&'static dyn Sandbox> {
    SANDBOX.get().map(|sandbox| &**sandbox)
}
