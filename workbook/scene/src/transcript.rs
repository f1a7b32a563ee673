//! The transcript: what a scene saw, line by line.

use std::fmt::Display;

use crate::record::Record;
use crate::values::plain;
use crate::{channel, moments};

/// The lines in which a scene reports what it saw. Each is sent to the runner at once, so that a
/// scene that hangs still shows how far it got.
///
/// Callbacks and tasks can keep copies, which all write to the same transcript.
#[derive(Debug, Clone, Copy)]
pub struct Transcript(());

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript(())
    }

    /// Adds a line. [`say!`](crate::say) also formats it.
    pub fn say(&self, line: impl Display) {
        // If the runner is gone, nothing reads the transcript; if the scene has closed the pipe,
        // `run_scene` reports that at the end.
        let line = line.to_string();
        if moments::are_noted() {
            moments::note("say", &plain(&line), &[]);
        }
        let _ = channel::send(&Record::Line(line));
    }
}

/// Formats a line and adds it to a [`Transcript`]: `say!(t, "{client} gets {} bytes", count)`.
///
/// What's named between the braces is given when a reader predicts the line and says what it's
/// about. What follows the format is a value, and `predict` asks for it.
#[macro_export]
macro_rules! say {
    ($transcript:expr, $format:literal $(, $value:expr)* $(,)?) => {
        $transcript.say(format_args!($format $(, $crate::values::Value(&$value))*))
    };
}
