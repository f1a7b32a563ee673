//! The transcript: what a scene saw, line by line.

use std::fmt::Display;

use crate::channel;
use crate::record::Record;

/// What a scene saw, line by line. Each line is sent to the runner at once, so that a scene that
/// hangs still shows how far it got.
///
/// Callbacks and tasks can take a copy along; all copies write to the same transcript.
#[derive(Debug, Clone, Copy)]
pub struct Transcript(());

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript(())
    }

    /// Adds a line. [`say!`](crate::say) formats and adds in one go.
    pub fn say(&self, line: impl Display) {
        // If the runner is gone, no one is left to care.
        let _ = channel::send(&Record::Line(line.to_string()));
    }
}

/// Formats a line and adds it to a [`Transcript`]: `say!(t, "read {n} bytes")`.
#[macro_export]
macro_rules! say {
    ($transcript:expr, $($format:tt)+) => {
        $transcript.say(format_args!($($format)+))
    };
}
