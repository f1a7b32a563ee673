//! The transcript: a scene's observations, line by line.

use std::fmt::Display;

use crate::record::Record;
use crate::values::plain;
use crate::{channel, moments};

/// The lines in which a scene reports its observations. A scene's lines are sent to the runner
/// immediately, so a scene that hangs still shows how far it got. While a trial runs all its
/// programs, its lines are sent after each program.
///
/// Callbacks and tasks can keep copies. All copies write to the same transcript.
#[derive(Debug, Clone, Copy)]
pub struct Transcript(());

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript(())
    }

    /// Adds a line. [`say!`](crate::say) also formats the line.
    pub fn say(&self, line: impl Display) {
        // Ignore an error. If the runner is gone, the transcript has no reader. If the scene has
        // closed the pipe, `run_scene` reports that at the end.
        let line = line.to_string();
        if moments::are_noted() {
            moments::note("say", &plain(&line), &[]);
        }
        let _ = channel::send(&Record::Line(line));
    }
}

/// Formats a line and adds it to a [`Transcript`]: `say!(t, "{client} gets {} bytes", count)`.
///
/// When a reader predicts the line, the arguments named inside the braces are shown, since they say
/// what the line is about. The arguments after the format string are values, and `predict` asks for
/// them.
#[macro_export]
macro_rules! say {
    ($transcript:expr, $format:literal $(, $value:expr)* $(,)?) => {
        $transcript.say(format_args!($format $(, $crate::values::Value(&$value))*))
    };
}
