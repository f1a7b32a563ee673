//! A scene's run, compared with what it should have reported.

use std::path::Path;

use crate::run::{Fault, SceneRun, run_scene};
use scene::record::Panic;
use scene::{Exercise, Scene};

/// The verdict of a scene on the layer that it ran on.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The scene that ran.
    pub(crate) scene: &'static Scene,
    /// The expected transcript.
    pub(crate) expected: String,
    /// The result of running it.
    pub(crate) run: SceneRun,
}

impl Verdict {
    /// Runs a scene and compares its transcript with the expected one.
    pub(crate) fn of(
        program: &Path,
        scene: &'static Scene,
        expected: &str,
    ) -> anyhow::Result<Verdict> {
        let run = run_scene(program, scene.name)?;
        Ok(Verdict { scene, expected: expected.to_owned(), run })
    }

    /// Returns true if the transcript is as expected and nothing went wrong.
    pub(crate) fn is_green(&self) -> bool {
        self.run.faults.is_empty() && self.is_as_expected()
    }

    /// Returns true if the transcript is as expected, even if something else went wrong.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.run.transcript.trim_end() == self.expected
    }

    /// Returns true if the scene is red because this exercise isn't written, rather than one that
    /// it relies on.
    pub(crate) fn is_not_written(&self, exercise: &Exercise) -> bool {
        match self.run.faults.first() {
            Some(Fault::NotWritten(panic)) => is_of(panic, exercise),
            _ => false,
        }
    }

    /// Returns true if the scene is red because some exercise isn't written.
    pub(crate) fn stops_at_a_todo(&self) -> bool {
        matches!(self.run.faults.first(), Some(Fault::NotWritten(_)))
    }

    /// Says in a sentence what is wrong.
    pub(crate) fn sentence(&self) -> String {
        match self.run.sentence() {
            Some(sentence) => sentence,
            None if self.is_as_expected() => "as expected".to_owned(),
            None => "ran to its end, but its transcript isn't the expected one".to_owned(),
        }
    }
}

/// Returns true if a panic is the `todo!` of an exercise's starter.
pub(crate) fn is_of(panic: &Panic, exercise: &Exercise) -> bool {
    panic.message.contains(&format!("exercise {}: ", exercise.number))
}
