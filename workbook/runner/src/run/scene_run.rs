//! What came of running a scene once.

use super::fault::Fault;

/// What came of running a scene once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneRun {
    /// What the scene reported, one line each.
    pub transcript: String,
    /// What else the program printed, up to a limit.
    pub printed: String,
    /// How many bytes of output were cut.
    pub cut: u64,
    /// What went wrong, the most telling first; empty if the scene is clean.
    pub faults: Vec<Fault>,
}

impl SceneRun {
    /// What is wrong, as a sentence; `None` if nothing is.
    pub fn sentence(&self) -> Option<String> {
        let sentences: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join("; and "))
    }
}
