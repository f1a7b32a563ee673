//! The transcript: what a scene saw, line by line.

use std::fmt::Display;

use crate::record::Record;

/// What a scene saw, line by line, sent to the runner as it happens, so that a scene that hangs
/// still shows how far it came.
///
/// It can be copied, for callbacks and tasks to take along: all copies are one transcript.
#[derive(Debug, Clone, Copy)]
pub struct Transcript(());

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript(())
    }

    /// Adds a line. [`say!`](crate::say) formats and adds in one go.
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
