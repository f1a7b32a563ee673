//! What a scene's process tells the runner, on the same stream the reader's own output uses.
//!
//! A record is the mark, a letter for its kind, its text, and a newline. The mark is a control
//! character that no sane output holds, so that whatever the reader prints, even without a newline
//! at its end, is told from what the scene reports.

use std::fmt;
use std::io::{self, Write};

/// Begins a record.
pub const MARK: char = '\x1e';
/// Stands between the fields of a panic.
pub const BETWEEN_FIELDS: char = '\x1f';

/// One message from a scene's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A line of the transcript.
    Line(String),
    /// A thread panicked.
    Panic(Panic),
    /// The scene ended with an error.
    Error(String),
    /// A descriptor was left open; its kind.
    Leaked(String),
    /// A descriptor that was not the scene's own was closed; its number and kind.
    Closed(String),
    /// The scene ran to its end.
    End,
}

/// Where a thread panicked, and what it said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Panic {
    /// The thread's name.
    pub thread: String,
    /// The source file, as rustc was given it.
    pub file: String,
    /// The line in that file.
    pub line: String,
    /// The panic's message.
    pub message: String,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = match self {
            Record::Line(line) => ('>', line.clone()),
            Record::Panic(panic) => ('P', panic.fields()),
            Record::Error(error) => ('E', error.clone()),
            Record::Leaked(kind) => ('L', kind.clone()),
            Record::Closed(which) => ('C', which.clone()),
            Record::End => ('.', String::new()),
        };
        writeln!(f, "{MARK}{kind}{}", escape(&text))
    }
}

impl Record {
    /// Sends the record in one write. A runner that went away is no reason to stop.
    pub fn send(&self, out: &mut impl Write) {
        let _ = out.write_all(self.to_string().as_bytes()).and_then(|()| out.flush());
    }

    /// Sends the record on standard output.
    pub fn send_on_stdout(&self) {
        self.send(&mut io::stdout().lock());
    }
}

impl Panic {
    /// Whether it came from a `todo!`: these are the words std begins its message with.
    pub fn is_todo(&self) -> bool {
        self.message.starts_with("not yet implemented")
    }

    fn fields(&self) -> String {
        [&self.thread, &self.file, &self.line, &self.message]
            .map(String::as_str)
            .join(&BETWEEN_FIELDS.to_string())
    }
}

/// A record is one line, so a newline inside its text is spelled out.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}
