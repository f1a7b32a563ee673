//! The bodies to try for an exercise, with their expected verdicts.

use std::time::Duration;

use super::attempt::effort;
use super::documents::{Answer, AnswerKind, Bug};
use judging::verdict::Effort;

/// A body to try.
#[derive(Debug)]
pub(super) struct Body {
    /// A description of the expected outcome.
    pub(super) claim: String,
    pub(super) text: String,
    pub(super) expected: Expected,
    /// The words that a rejection must contain.
    pub(super) words: Option<String>,
    /// The bug that a reader can hunt for in the body.
    pub(super) bug: Option<Bug>,
    /// True if the body is a known correct answer.
    pub(super) is_a_right_answer: bool,
    /// True if the body is known to hang in some scenes or trials.
    hangs: bool,
}

/// The verdict that an exercise's scenes and trials should give on a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// All scenes and trials report that the body isn't written.
    NotWritten,
    /// All scenes and trials accept the body.
    Green,
    /// At least one scene or trial rejects the body.
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

    /// Creates the body that a new page has.
    pub(super) fn of_the_starter(text: String) -> Body {
        Body::new("red until it is written", text, Expected::NotWritten)
    }

    /// Creates the body from an exercise's last hint.
    pub(super) fn of_the_last_hint(text: String) -> Body {
        Body::new("the last hint is a body that's green", text, Expected::Green)
    }

    /// Creates the body from a known answer. The verdict must agree with the answer's heading.
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

    /// Creates the reference's body.
    pub(super) fn of_the_reference(text: String) -> Body {
        Body::new("green once it is", text, Expected::Green)
    }

    /// Returns the effort for the scenes and trials that judge this body.
    pub(super) fn effort(&self) -> Effort {
        let effort = effort();
        if self.hangs { Effort { patience: KNOWN_TO_HANG, ..effort } } else { effort }
    }
}

/// The time limit for an answer that's known to hang. Scenes and trials normally take less time.
const KNOWN_TO_HANG: Duration = Duration::from_secs(1);
