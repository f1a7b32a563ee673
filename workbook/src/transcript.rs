//! The transcript: what a scene saw, line by line.

use std::fmt::Display;
use std::io::{self, Write};

/// What a scene saw, line by line, written out as it happens, so that a scene that hangs still
/// shows how far it came.
///
/// Cloning gives another name for the same transcript, for callbacks and tasks to take along.
#[derive(Debug, Clone)]
pub struct Transcript {
    prefix: &'static str,
}

impl Transcript {
    /// A transcript for people: plain lines on standard output.
    pub(crate) fn plain() -> Self {
        Transcript { prefix: "" }
    }

    /// A transcript for the runner: each line begins with a mark that tells it from whatever else
    /// the reader's code prints.
    pub(crate) fn marked(prefix: &'static str) -> Self {
        Transcript { prefix }
    }

    /// Adds a line. [`say!`](crate::say) formats and adds in one go.
    pub fn say(&self, line: impl Display) {
        let mut out = io::stdout().lock();
        // A runner that went away must not turn into a panic in the middle of a scene.
        let _ = writeln!(out, "{}{line}", self.prefix).and_then(|()| out.flush());
    }
}

/// Formats a line and adds it to a [`Transcript`]: `say!(t, "read {n} bytes")`.
#[macro_export]
macro_rules! say {
    ($transcript:expr, $($format:tt)+) => {
        $transcript.say(format_args!($($format)+))
    };
}
