//! A body for an exercise, with a check's expectations.

use std::time::Duration;

use super::attempt::effort;
use super::documents::{Answer, AnswerKind, Bug};
use judging::verdict::Effort;

/// A body to try.
#[derive(Debug)]
pub(super) struct Body {
    /// The expected outcome, in words.
    pub(super) claim: String,
    pub(super) text: String,
    pub(super) expected: Expected,
    /// Words that a rejection must contain.
    pub(super) words: Option<String>,
    /// The bug that a reader can hunt for in the body.
    pub(super) bug: Option<Bug>,
    /// True if the body is a known answer that's right.
    pub(super) is_a_right_answer: bool,
    /// True if the body is known never to end some of its scenes and trials.
    hangs: bool,
}

/// The verdict that the scenes and trials of an exercise should give on a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Each of them says that it isn't written.
    NotWritten,
    /// Each of them says that it's right.
    Green,
    /// At least one of them says that it's wrong.
    Red,
}

impl Body {
    fn new(claim: &str, text: String, expected: Expected) -> Body {
        Body {
            claim: claim.to_owned(),
            text,
            expected,
            words: None,
            bug: None,
            is_a_right_answer: false,
            hangs: false,
        }
    }

    /// Makes the body that a new page has.
    pub(super) fn of_the_starter(text: String) -> Body {
        Body::new("red until it is written", text, Expected::NotWritten)
    }

    /// Makes the body that an exercise has as its last hint.
    pub(super) fn of_the_last_hint(text: String) -> Body {
        Body::new("the last hint is a body that's green", text, Expected::Green)
    }

    /// Makes the body of a known answer, which has to be judged according to its heading.
    pub(super) fn of_an_answer(answer: Answer) -> Body {
        let expected = match answer.kind {
            AnswerKind::Right => Expected::Green,
            AnswerKind::Wrong => Expected::Red,
        };
        Body {
            claim: format!("{}: {}", answer.kind.word(), answer.name),
            text: answer.body,
            expected,
            words: answer.expected,
            bug: answer.bug,
            is_a_right_answer: answer.kind == AnswerKind::Right,
            hangs: answer.hangs,
        }
    }

    /// Makes the reference's body.
    pub(super) fn of_the_reference(text: String) -> Body {
        Body::new("green once it is", text, Expected::Green)
    }

    /// Returns the effort for its scenes and trials.
    pub(super) fn effort(&self) -> Effort {
        let effort = effort();
        if self.hangs { Effort { patience: KNOWN_TO_HANG, ..effort } } else { effort }
    }
}

/// The time that we wait for an answer that's known to hang. All scenes and trials normally take
/// less.
const KNOWN_TO_HANG: Duration = Duration::from_secs(1);
