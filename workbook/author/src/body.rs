//! A body for an exercise, and what a check expects of it.

use std::path::Path;
use std::time::Duration;

use runner::verdict::Effort;
use runner::workbook::read;

/// A body to try.
#[derive(Debug)]
pub(super) struct Body {
    /// What the check expects of it, in words.
    pub(super) claim: String,
    pub(super) text: String,
    pub(super) expected: Expected,
}

/// What the scenes and trials of an exercise should say of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// That it isn't written, each of them.
    NotWritten,
    /// That it's right, each of them.
    Green,
    /// That it's wrong, at least one of them.
    Red,
}

impl Body {
    /// Makes the body that a page begins with.
    pub(super) fn of_the_starter(text: String) -> Body {
        let claim = "red until it is written".to_owned();
        Body { claim, text, expected: Expected::NotWritten }
    }

    /// Makes the body that an exercise has as its last hint.
    pub(super) fn of_the_last_hint(text: String) -> Body {
        let claim = "the last hint is a body that's green".to_owned();
        Body { claim, text, expected: Expected::Green }
    }

    /// Reads an answer, which is right or wrong by its name.
    pub(super) fn of_an_answer(file: &Path) -> anyhow::Result<Body> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_wrong = name.starts_with("wrong_");
        let (colour, expected) =
            if is_wrong { ("red", Expected::Red) } else { ("green", Expected::Green) };
        Ok(Body { claim: format!("{name} is {colour}"), text: read(file)?, expected })
    }

    /// Makes the reference's body.
    pub(super) fn of_the_reference(text: String) -> Body {
        Body { claim: "green once it is".to_owned(), text, expected: Expected::Green }
    }

    /// Returns the words that a rejection must contain: the text of a first line
    /// `// expect: TEXT`.
    pub(super) fn expected_words(&self) -> Option<&str> {
        self.remarks().find_map(|remark| remark.strip_prefix("expect: "))
    }

    /// Returns how long we wait for its scenes and trials. One with a first line `// hangs` is
    /// known never to end some of them.
    pub(super) fn effort(&self) -> Effort {
        let effort = Effort::for_a_check();
        let hangs = self.remarks().any(|remark| remark == "hangs");
        if hangs { Effort { patience: KNOWN_TO_HANG, ..effort } } else { effort }
    }

    /// Returns the first lines of the body that are comments, each of which says something about
    /// it.
    fn remarks(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map_while(|line| line.trim().strip_prefix("// "))
    }
}

/// How long we wait for an answer that is known to hang. All scenes and trials normally take less.
const KNOWN_TO_HANG: Duration = Duration::from_secs(1);
