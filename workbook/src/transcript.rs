//! The transcript: what a scene saw, line by line.

use std::fmt::Display;

use crate::record::Record;

/// What a scene saw, line by line, sent to the runner as it happens, so that a scene that hangs
/// still shows how far it came.
///
/// Cloning gives another name for the same transcript, for callbacks and tasks to take along.
#[derive(Debug, Clone)]
pub struct Transcript {
    // Only the runner makes transcripts.
    _made_by_perform: (),
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript { _made_by_perform: () }
    }

    /// Adds a line. [`say!`](crate::say) formats and adds in one go.
    #[allow(clippy::unused_self)]
    pub fn say(&self, line: impl Display) {
        Record::Line(line.to_string()).send_on_stdout();
    }
}

/// Formats a line and adds it to a [`Transcript`]: `say!(t, "read {n} bytes")`.
#[macro_export]
macro_rules! say {
    ($transcript:expr, $($format:tt)+) => {
        $transcript.say(format_args!($($format)+))
    };
}
