//! What a scene's process tells the runner, on the same stream the reader's own output uses.
//!
//! A record is the mark, a letter for its kind, its text, and a newline. The mark is a control
//! character that no sane output holds, so that whatever the reader prints, even without a newline
//! at its end, is told from what the scene reports.

use std::fmt;
use std::io::{self, Write};

const MARK: char = '\x1e';
const BETWEEN_FIELDS: char = '\x1f';

/// One message from a scene's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
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
    pub(crate) fn send(&self, out: &mut impl Write) {
        let _ = out.write_all(self.to_string().as_bytes()).and_then(|()| out.flush());
    }

    pub(crate) fn send_on_stdout(&self) {
        self.send(&mut io::stdout().lock());
    }

    /// Reads what stands after the mark; `None` if no scene wrote it.
    fn parse(text: &str) -> Option<Record> {
        let mut chars = text.chars();
        let kind = chars.next()?;
        let text = unescape(chars.as_str());
        Some(match kind {
            '>' => Record::Line(text),
            'P' => Record::Panic(Panic::from_fields(&text)),
            'E' => Record::Error(text),
            'L' => Record::Leaked(text),
            'C' => Record::Closed(text),
            '.' if text.is_empty() => Record::End,
            _ => return None,
        })
    }
}

impl Panic {
    /// Whether it came from a `todo!`: these are the words std begins its message with.
    pub(crate) fn is_todo(&self) -> bool {
        self.message.starts_with("not yet implemented")
    }

    fn fields(&self) -> String {
        [&self.thread, &self.file, &self.line, &self.message]
            .map(String::as_str)
            .join(&BETWEEN_FIELDS.to_string())
    }

    fn from_fields(text: &str) -> Panic {
        let mut fields = text.splitn(4, BETWEEN_FIELDS).map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        Panic { thread: next(), file: next(), line: next(), message: next() }
    }
}

/// A record is one line, so a newline inside its text is spelled out.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.as_str().starts_with('n') => {
                chars.next();
                plain.push('\n');
            }
            '\\' => plain.extend(chars.next()),
            _ => plain.push(char),
        }
    }
    plain
}

/// A piece of what a scene's process wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Record(Record),
    /// The reader's own output.
    Printed(String),
}

/// Cuts one stream into records and the reader's own output.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    unfinished: Vec<u8>,
}

impl Splitter {
    /// Takes what was read, and gives the lines that are complete by now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.unfinished.extend_from_slice(bytes);
        let Some(last) = self.unfinished.iter().rposition(|&byte| byte == b'\n') else {
            return Vec::new();
        };
        let complete: Vec<u8> = self.unfinished.drain(..=last).collect();
        let text = String::from_utf8_lossy(&complete);
        text.split_inclusive('\n').flat_map(pieces).collect()
    }

    /// The stream has ended: what is left is a line without its newline.
    pub(crate) fn finish(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.unfinished);
        pieces(&String::from_utf8_lossy(&rest))
    }
}

fn pieces(line: &str) -> Vec<Piece> {
    let record = line.split_once(MARK).and_then(|(before, text)| {
        // A record cut short by a crash is no record.
        let record = Record::parse(text.strip_suffix('\n')?)?;
        Some((before, record))
    });
    let (printed, record) = match record {
        Some((before, record)) => (before, Some(Piece::Record(record))),
        None => (line, None),
    };
    let printed = (!printed.is_empty()).then(|| Piece::Printed(printed.to_owned()));
    printed.into_iter().chain(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Record {
        Record::Line(text.to_owned())
    }

    #[test]
    fn a_record_survives_the_way_whatever_it_holds() {
        for text in ["", "plain", "two\nlines", r"a \n that is none", r"\", "\\\n\\"] {
            let mut splitter = Splitter::default();
            let pieces = splitter.feed(line(text).to_string().as_bytes());
            assert_eq!(pieces, [Piece::Record(line(text))]);
        }
    }

    #[test]
    fn output_without_a_newline_does_not_hide_the_record_after_it() {
        let mut splitter = Splitter::default();
        let stream = format!("dbg{}more", line("a"));
        let mut pieces = Vec::new();
        for byte in stream.bytes() {
            pieces.extend(splitter.feed(&[byte]));
        }
        pieces.extend(splitter.finish());
        let printed = |text: &str| Piece::Printed(text.to_owned());
        assert_eq!(pieces, [printed("dbg"), Piece::Record(line("a")), printed("more")]);
    }

    #[test]
    fn a_panic_keeps_its_fields_apart() {
        let panic = Panic {
            thread: "main".into(),
            file: "src/lib.rs".into(),
            line: "7".into(),
            message: "two\nlines".into(),
        };
        let text = Record::Panic(panic.clone()).to_string();
        assert_eq!(pieces(&text), [Piece::Record(Record::Panic(panic))]);
    }
}
