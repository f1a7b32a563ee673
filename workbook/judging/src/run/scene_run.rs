//! The result of running a scene or a trial once.

use scene::record::Panic;

use super::fault::Fault;

/// One of a trial's programs, after it ran to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct ProgramRun {
    /// The number of the program's verbs, including the verbs that were left out.
    pub verbs: usize,
    /// The lines that the program reported. If the trial ran only this program, the string is
    /// empty, and the lines are in the run's own transcript.
    pub transcript: String,
}

impl ProgramRun {
    /// Parses a record about a program: a line with the number of the program's verbs, and then the
    /// transcript.
    pub(crate) fn parse(text: &str) -> ProgramRun {
        let (verbs, transcript) = text.split_once('\n').unwrap_or_default();
        let verbs = verbs.parse().unwrap_or_default();
        ProgramRun { verbs, transcript: transcript.to_owned() }
    }

    /// Returns the text of a record about this program.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.verbs, self.transcript)
    }
}

/// The result of running a scene or a trial once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneRun {
    /// The lines that the scene reported, up to a limit.
    pub transcript: String,
    /// The programs of a trial that ran to their end.
    pub programs: Vec<ProgramRun>,
    /// The moments of the run, if the caller asked for them; see `scene::moments`.
    pub moments: Vec<String>,
    /// The scene's output on standard output and standard error, up to a limit.
    pub printed: String,
    /// The number of bytes of output that weren't kept.
    pub cut: u64,
    /// The faults, with the most informative first. Empty if the scene had none.
    pub faults: Vec<Fault>,
    /// The panics, other than a `todo!`'s, that the scene's main thread caught before the scene
    /// reached its end. They aren't faults by themselves, because a correct answer can use
    /// `catch_unwind`. The verdict adds them to the faults if it's red or if none of the page's
    /// bodies mentions `catch_unwind`.
    pub caught: Vec<Panic>,
}

impl SceneRun {
    /// Adds the caught panics to the faults. The caught panics come first, because they're likely
    /// to explain the other faults, if any.
    pub(crate) fn with_caught_panics(mut self) -> SceneRun {
        let caught = self.caught.drain(..).map(Fault::Panicked);
        self.faults.splice(0..0, caught);
        self
    }

    /// Returns a sentence about the faults, or `None` if there are none.
    pub fn sentence(&self) -> Option<String> {
        let sentences: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join("; and "))
    }
}
