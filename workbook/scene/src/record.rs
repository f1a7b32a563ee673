//! Records: the messages that a scene's process sends to the runner, over a separate pipe.
//!
//! A record consists of one byte for its kind, the length of its text (four bytes, little-endian),
//! and the text. Because of the length, the text needs no escaping, and because of the separate
//! pipe, the reader's own output can't be mistaken for a record.

use std::io::{self, Read};

/// One message from a scene's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A line of the transcript. In a scene's line, the values are marked; see
    /// [`values`](crate::values).
    Line(String),
    /// A program of a trial returned, perhaps with an error. The text is the number of the
    /// program's verbs, followed on the next lines by its transcript. If the trial runs only this
    /// program, the transcript's lines are separate records instead.
    Program(String),
    /// A thread panicked.
    Panic(Panic),
    /// The scene ended with an error.
    Error(String),
    /// The scene left a descriptor open. The text is the descriptor's kind.
    Leaked(String),
    /// The scene closed a descriptor that it hadn't opened. The text is the descriptor's number and
    /// kind.
    Closed(String),
    /// A different panic hook has replaced ours.
    HookReplaced,
    /// A moment, for a recording; see [`moments`](crate::moments). The text has a line for each of
    /// the moment's fields, with the field's name, a tab, and the field's value.
    Moment(String),
    /// The last record: the scene or the trial has returned, perhaps with an error, and has
    /// reported its faults.
    End,
}

/// The place and the message of a thread's panic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct Panic {
    /// The thread's name, or `unnamed`.
    pub thread: String,
    /// The path of the source file, as it was passed to rustc.
    pub file: String,
    /// The line in that file.
    pub line: String,
    /// The calls that led to the panic, innermost first, without calls in std and in external
    /// crates. Empty if unknown.
    pub calls: Vec<Call>,
    /// The panic's message.
    pub message: String,
}

/// A call that led to a panic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub struct Call {
    /// The function's name, without its path.
    pub function: String,
    /// The source file.
    pub file: String,
    /// The line in that file.
    pub line: String,
}

/// Separates the fields of a panic. Neither a thread's name nor a path can contain this character.
const SEPARATOR: char = '\0';

/// The maximum length of a text, in bytes. If the length is greater, the bytes most likely aren't a
/// record's header, and we stop reading.
const LONGEST: u32 = 16 * 1024 * 1024;

/// The maximum number of a panic's calls that we read. We ignore any further calls, which occur
/// only in deep recursion.
const MOST_CALLS: usize = 1000;

impl Record {
    /// Encodes the record, to be sent in a single write.
    pub fn encoded(&self) -> Vec<u8> {
        let (kind, text) = match self {
            Record::Line(line) => (b'>', line.clone()),
            Record::Program(text) => (b'T', text.clone()),
            Record::Panic(panic) => (b'P', panic.fields()),
            Record::Error(error) => (b'E', error.clone()),
            Record::Leaked(kind) => (b'L', kind.clone()),
            Record::Closed(which) => (b'C', which.clone()),
            Record::HookReplaced => (b'H', String::new()),
            Record::Moment(text) => (b'M', text.clone()),
            Record::End => (b'.', String::new()),
        };
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        [&[kind][..], &length.to_le_bytes(), text.as_bytes()].concat()
    }

    /// Reads the next record. Returns `None` at the end of the stream.
    ///
    /// Fails with `UnexpectedEof` if the stream ends in the middle of a record, with `InvalidData`
    /// if the bytes aren't a record or the text is too long, and with the stream's own error if
    /// reading fails.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Record>> {
        let mut kind = [0];
        if from.read(&mut kind)? == 0 {
            return Ok(None);
        }
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut text = vec![0; length as usize];
        from.read_exact(&mut text)?;
        let text = String::from_utf8(text).map_err(|_| io::ErrorKind::InvalidData)?;
        Record::of(kind[0], text).map(Some)
    }

    /// Returns the length of the text in bytes.
    pub fn text_length(&self) -> usize {
        match self {
            Record::Line(text)
            | Record::Program(text)
            | Record::Error(text)
            | Record::Leaked(text)
            | Record::Closed(text)
            | Record::Moment(text) => text.len(),
            Record::Panic(panic) => panic.fields().len(),
            Record::HookReplaced | Record::End => 0,
        }
    }

    fn of(kind: u8, text: String) -> io::Result<Record> {
        Ok(match kind {
            b'>' => Record::Line(text),
            b'T' => Record::Program(text),
            b'P' => Record::Panic(Panic::from_fields(&text)),
            b'E' => Record::Error(text),
            b'L' => Record::Leaked(text),
            b'C' => Record::Closed(text),
            b'H' => Record::HookReplaced,
            b'M' => Record::Moment(text),
            b'.' => Record::End,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        })
    }
}

impl Panic {
    /// Returns true if the panic's message begins with std's words for a `todo!`, which means that
    /// the panic almost certainly comes from one.
    pub fn is_todo(&self) -> bool {
        self.message.starts_with("not yet implemented")
    }

    /// Returns true if both records describe the same panic, regardless of the calls that led to
    /// the panic.
    pub fn is_like(&self, other: &Panic) -> bool {
        let Panic { thread, file, line, calls: _, message } = other;
        (&self.thread, &self.file, &self.line, &self.message) == (thread, file, line, message)
    }

    fn fields(&self) -> String {
        let calls = self.calls.iter().map(|it| [&*it.function, &*it.file, &*it.line].join("\t"));
        let calls = calls.collect::<Vec<_>>().join("\n");
        [&*self.thread, &*self.file, &*self.line, &*calls, &*self.message]
            .join(&SEPARATOR.to_string())
    }

    fn from_fields(text: &str) -> Panic {
        let mut fields = text.splitn(5, SEPARATOR).map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        let (thread, file, line, calls) = (next(), next(), next(), next());
        let calls = calls.lines().take(MOST_CALLS).map(|call| {
            let mut parts = call.split('\t').map(str::to_owned);
            let mut part = || parts.next().unwrap_or_default();
            Call { function: part(), file: part(), line: part() }
        });
        Panic { thread, file, line, calls: calls.collect(), message: next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_and_read(records: &[Record]) -> Vec<Record> {
        let bytes: Vec<u8> = records.iter().flat_map(Record::encoded).collect();
        let mut from = bytes.as_slice();
        std::iter::from_fn(|| Record::read(&mut from).unwrap()).collect()
    }

    #[test]
    fn records_arrive_as_they_were_sent_whatever_they_contain() {
        let panic = Panic {
            thread: "main".into(),
            file: "src/lib.rs".into(),
            line: "7".into(),
            calls: ["8", "9"]
                .map(|line| Call { function: "f".into(), file: "g".into(), line: line.into() })
                .into(),
            message: "two\nlines, and a \0".into(),
        };
        let lines =
            ["", "plain", "two\nlines", r"a \n", "\x1e>"].map(|line| Record::Line(line.into()));
        let records = [&lines[..], &[Record::Panic(panic), Record::End]].concat();
        assert_eq!(sent_and_read(&records), records);
    }

    #[test]
    fn a_panic_with_calls_without_end_is_read_without_most_of_them() {
        let call = Call { function: "f".into(), file: "g".into(), line: "1".into() };
        let panic = Panic { calls: vec![call; 5 * MOST_CALLS], ..Panic::default() };
        let [Record::Panic(read)] = &sent_and_read(&[Record::Panic(panic)])[..] else { panic!() };
        assert_eq!(read.calls.len(), MOST_CALLS);
    }

    #[test]
    fn half_a_record_is_an_error() {
        let bytes = Record::Line("cut".into()).encoded();
        let error = Record::read(&mut &bytes[..6]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
