//! A performance against its answer key.

use std::path::Path;

use anyhow::Context;

use crate::fault::Fault;
use crate::performance::Performance;
use crate::root::read;
use scene::record::Panic;
use scene::{Exercise, Scene};

/// What a scene says of the layer it was played on.
#[derive(Debug)]
pub struct Verdict {
    /// The scene that was played.
    pub scene: &'static Scene,
    /// The transcript as it should be.
    pub expected: String,
    /// What came of playing it.
    pub performance: Performance,
}

impl Verdict {
    /// Plays a scene and holds it against its answer key. `step` is the step's directory.
    pub fn of(program: &Path, scene: &'static Scene, step: &Path) -> anyhow::Result<Verdict> {
        Ok(Verdict {
            scene,
            expected: answer_key(step, scene.name)?,
            performance: Performance::of(program, scene.name)?,
        })
    }

    /// Right in every line, and clean.
    pub fn is_green(&self) -> bool {
        self.performance.faults.is_empty() && self.is_as_expected()
    }

    /// The transcript is right, whatever else is wrong.
    pub fn is_as_expected(&self) -> bool {
        self.performance.transcript.trim_end() == self.expected
    }

    /// Red because a body is not written: this exercise's, and not one it leans on.
    pub fn is_not_written(&self, exercise: &Exercise) -> bool {
        match self.performance.faults.first() {
            Some(Fault::NotWritten(panic)) => is_of(panic, exercise),
            _ => false,
        }
    }

    /// Red because some body is not written, whichever.
    pub fn stops_at_a_todo(&self) -> bool {
        matches!(self.performance.faults.first(), Some(Fault::NotWritten(_)))
    }

    /// What is wrong, in a sentence.
    pub fn sentence(&self) -> String {
        match self.performance.sentence() {
            Some(sentence) => sentence,
            None if self.is_as_expected() => "as expected".to_owned(),
            None => "ran to its end, and saw something else than expected".to_owned(),
        }
    }
}

/// Whether a `todo!` is the one the starter of an exercise has.
pub(crate) fn is_of(panic: &Panic, exercise: &Exercise) -> bool {
    let own = format!("exercise {}: ", exercise.number);
    panic.message.contains(&own)
}

/// The transcript a scene must have, from its snapshot.
pub(crate) fn answer_key(step: &Path, scene: &str) -> anyhow::Result<String> {
    let file = step.join("tests/snapshots").join(format!("{scene}.snap"));
    let text = read(&file).with_context(|| format!("the scene {scene} has no answer key"))?;
    Ok(without_header(&text).trim_end().to_owned())
}

/// insta writes a header between two lines of dashes, and the snapshot after it.
fn without_header(text: &str) -> &str {
    let header = text.strip_prefix("---\n");
    let after = header.and_then(|header| header.split_once("\n---\n"));
    after.map_or(text, |(_, snapshot)| snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_key_is_what_follows_the_header() {
        assert_eq!(without_header("---\nsource: x\n---\na\n---\nb\n"), "a\n---\nb\n");
        assert_eq!(without_header("no header\n"), "no header\n");
    }
}
