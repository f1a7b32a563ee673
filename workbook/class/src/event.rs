//! A class's events, in the file's format: one event per line.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// An event, in the file's format. `at` is in seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The class has begun. This event is always the first line of the file.
    Begun {
        at: u64,
        code: String,
        teacher: String,
    },
    Joined {
        at: u64,
        student: u32,
        name: String,
        token: String,
    },
    Left {
        at: u64,
        student: u32,
    },
    /// The teacher has opened or closed the door to new students.
    Door {
        at: u64,
        open: bool,
    },
    Opened {
        at: u64,
        poll: String,
    },
    Answered {
        at: u64,
        student: u32,
        poll: String,
        typed: Vec<String>,
    },
    Closed {
        at: u64,
    },
    /// The poll's scene has been played or, if the poll has no scene, its answer has been shown.
    Shown {
        at: u64,
        printed: Vec<String>,
    },
    Done {
        at: u64,
    },
    Wants {
        at: u64,
        student: u32,
        wanted: bool,
    },
    Reported {
        at: u64,
        student: u32,
        report: Report,
    },
}

/// A report about a student's page, sent by the student's runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    pub(crate) package: String,
    /// The student's current exercise, or `None` if all of the package's exercises are green or
    /// given.
    pub(crate) exercise: Option<String>,
    pub(crate) outcome: Outcome,
    /// The first line of the verdict, if the page is red or doesn't compile.
    pub(crate) line: Option<String>,
    pub(crate) green: BTreeSet<String>,
}

/// The outcome of the runner's verdict on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    #[serde(rename = "green")]
    Green,
    #[serde(rename = "red")]
    Red,
    #[serde(rename = "not written")]
    NotWritten,
    #[serde(rename = "does not compile")]
    DoesNotCompile,
}

impl Event {
    pub(crate) fn at(&self) -> u64 {
        match self {
            Event::Begun { at, .. }
            | Event::Joined { at, .. }
            | Event::Left { at, .. }
            | Event::Door { at, .. }
            | Event::Opened { at, .. }
            | Event::Answered { at, .. }
            | Event::Closed { at }
            | Event::Shown { at, .. }
            | Event::Done { at }
            | Event::Wants { at, .. }
            | Event::Reported { at, .. } => *at,
        }
    }

    /// Returns the student whom the event is about, or `None` for one of the teacher's events.
    pub(crate) fn student(&self) -> Option<u32> {
        match self {
            Event::Joined { student, .. }
            | Event::Left { student, .. }
            | Event::Answered { student, .. }
            | Event::Wants { student, .. }
            | Event::Reported { student, .. } => Some(*student),
            Event::Begun { .. }
            | Event::Door { .. }
            | Event::Opened { .. }
            | Event::Closed { .. }
            | Event::Shown { .. }
            | Event::Done { .. } => None,
        }
    }

    /// Returns true if these pending events have no influence on whether this event can happen, so
    /// that all of them can be written together.
    pub(crate) fn is_apart(&self, others: &[Event]) -> bool {
        let joins = |event: &Event| matches!(event, Event::Joined { .. });
        let leaves = |event: &Event| matches!(event, Event::Left { .. });
        others.iter().all(|other| match (self.student(), other.student()) {
            (Some(one), Some(another)) => {
                // Two students who join could have the same name, so the second event has to wait.
                // When a student leaves, the file is rewritten, so such an event can't be written
                // together with events of other kinds.
                one != another && !(joins(self) && joins(other)) && leaves(self) == leaves(other)
            }
            _ => false,
        })
    }
}

/// Returns the time, in seconds since 1970.
pub(crate) fn now() -> u64 {
    // If the clock is set before 1970, all times are 0, and everything else works.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
