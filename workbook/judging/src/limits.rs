//! What limits the programs that are judged, and the compiler that builds them. A reader's own page has
//! none: the teachers' program sets them before it judges other people's.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::Pid;

use crate::run::Fault;

/// Limits for everything that this process judges.
pub trait Limits: Send + Sync {
    /// Limits what a command starts: a program that's judged, or the reference's that it's compared
    /// with.
    fn on_a_program(
        &self,
        command: &mut Command,
        program: &Path,
    ) -> anyhow::Result<Box<dyn Limited>>;

    /// Limits cargo, and the compiler and the linker that it starts, which build a page of a notebook.
    fn on_a_compiler(
        &self,
        command: &mut Command,
        notebook: &Path,
    ) -> anyhow::Result<Box<dyn Limited>>;
}

/// A process with limits. Whatever it has started ends when this value is dropped.
pub trait Limited {
    /// Takes note that the process runs, in a process group of its own.
    fn started(&mut self, group: Pid);

    /// Returns the fault if a limit has ended it.
    fn exceeded(&self) -> Option<Fault>;
}

static LIMITS: OnceLock<Box<dyn Limits>> = OnceLock::new();

/// Sets limits for everything that's built and run from now on. They can be set once.
pub fn set(limits: impl Limits + 'static) {
    let _ = LIMITS.set(Box::new(limits));
}

/// Returns the limits, if there are any.
pub(crate) fn limits() -> Option<&'static dyn Limits> {
    LIMITS.get().map(|limits| &**limits)
}
