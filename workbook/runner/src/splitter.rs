//! Reads the records of a scene's process, and tells them from the reader's own output.

use scene::record::Panic;
use scene::record::{BETWEEN_FIELDS, MARK, Record};

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
        let record = parse(text.strip_suffix('\n')?)?;
        Some((before, record))
    });
    let (printed, record) = match record {
        Some((before, record)) => (before, Some(Piece::Record(record))),
        None => (line, None),
    };
    let printed = (!printed.is_empty()).then(|| Piece::Printed(printed.to_owned()));
    printed.into_iter().chain(record).collect()
}

/// Reads what stands after the mark; `None` if no scene wrote it.
fn parse(text: &str) -> Option<Record> {
    let mut chars = text.chars();
    let kind = chars.next()?;
    let text = unescape(chars.as_str());
    Some(match kind {
        '>' => Record::Line(text),
        'P' => Record::Panic(panic_from_fields(&text)),
        'E' => Record::Error(text),
        'L' => Record::Leaked(text),
        'C' => Record::Closed(text),
        '.' if text.is_empty() => Record::End,
        _ => return None,
    })
}

fn panic_from_fields(text: &str) -> Panic {
    let mut fields = text.splitn(4, BETWEEN_FIELDS).map(str::to_owned);
    let mut next = || fields.next().unwrap_or_default();
    Panic { thread: next(), file: next(), line: next(), message: next() }
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
