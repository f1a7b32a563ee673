//! The interface of a sandbox in which other people's pages are built and run. The teachers'
//! program sets up a sandbox before it judges such pages. A reader's own page needs no sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::run::SceneRun;

/// A request to run the program that is being judged, or the reference's program for comparison.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct Asked {
    /// The program.
    pub program: PathBuf,
    /// The program's arguments, which name a scene, or a trial and perhaps one of its programs.
    pub words: Vec<String>,
    /// The name and the value of an environment variable for the program.
    pub variable: Option<(String, String)>,
    /// The time limit.
    pub patience: Duration,
}

/// A sandbox for everything that this process judges.
pub trait Sandbox: Send + Sync {
    /// Runs a program inside the sandbox. In all other respects, works like
    /// [`run_here`](crate::run::run_here).
    ///
    /// Fails if no sandbox can be created. The program's own failures are part of the result.
    fn run(&self, asked: &Asked) -> anyhow::Result<SceneRun>;

    /// Returns a command that runs cargo, the compiler and the linker inside the sandbox. Cargo
    /// builds a page of the notebook in the directory `notebook`.
    fn compiler(&self, cargo: &Command, notebook: &Path) -> anyhow::Result<Command>;

    /// Returns the maximum time that a page may take to compile.
    fn longest_build(&self) -> Duration;
}

static SANDBOX: OnceLock<Box<dyn Sandbox>> = OnceLock::new();

/// Sets the sandbox for all later builds and runs. Only the first call has an effect.
pub fn set(sandbox: impl Sandbox + 'static) {
    let _ = SANDBOX.set(Box::new(sandbox));
}

/// Returns the sandbox, if one was set.
pub(crate) fn sandbox() -> Option<&'static dyn Sandbox> {
    SANDBOX.get().map(|sandbox| &**sandbox)
}
