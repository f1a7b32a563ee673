//! The result of running a scene or a trial once.

use super::fault::Fault;

/// A program of a trial that ran to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramRun {
    /// The number of its verbs, including those that were left out.
    pub verbs: usize,
    /// The lines that it reported. Empty if the trial ran this program only; then the lines are the
    /// run's own.
    pub transcript: String,
}

/// The result of running a scene or a trial once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneRun {
    /// The lines that the scene reported, up to a limit.
    pub transcript: String,
    /// The programs of a trial that ran to their end.
    pub programs: Vec<ProgramRun>,
    /// The program's other output, up to a limit.
    pub printed: String,
    /// The number of bytes of output that were cut.
    pub cut: u64,
    /// The faults, most informative first; empty if the scene is clean.
    pub faults: Vec<Fault>,
}

impl SceneRun {
    /// Says in a sentence what is wrong. Returns `None` if nothing is.
    pub fn sentence(&self) -> Option<String> {
        let sentences: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join("; and "))
    }
}
