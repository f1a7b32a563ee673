//! The result of running a scene once.

use super::fault::Fault;

/// The result of running a scene once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneRun {
    /// The lines that the scene reported, up to a limit.
    pub transcript: String,
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
