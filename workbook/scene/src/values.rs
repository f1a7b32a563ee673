//! The values in a transcript's lines. `predict` asks the reader for these values.
//! [`say!`](crate::say) marks the values while it formats the line, so the blanks that the reader
//! fills in always match the line's values.
//!
//! A scene's lines are sent to the runner with their marks. [`plain`] returns the text that a
//! reader sees and that the runner compares.

use std::fmt::{self, Formatter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// The marks around a value. Unicode reserves these two characters for internal use, so they don't
/// occur in normal text.
const BEGIN: char = '\u{fdd0}';
const END: char = '\u{fdd1}';

/// True if values are marked. Readers don't predict the lines of a trial or of a scene that's
/// started by hand, so such lines have no marks.
static MARKED: AtomicBool = AtomicBool::new(false);

/// Marks values from now on.
pub fn mark() {
    MARKED.store(true, Ordering::Relaxed);
}

/// A value in a line. It's formatted like the value inside, with marks around it if values are
/// marked.
#[derive(Clone, Copy)]
pub struct Value<'a, T: ?Sized>(pub &'a T);

macro_rules! formatted_as {
    ($($how:ident),+) => {
        $(impl<T: fmt::$how + ?Sized> fmt::$how for Value<'_, T> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                if !MARKED.load(Ordering::Relaxed) {
                    return self.0.fmt(f);
                }
                f.write_char(BEGIN)?;
                self.0.fmt(f)?;
                f.write_char(END)
            }
        })+
    };
}
formatted_as!(Display, Debug, LowerHex);

/// A piece of a line: a value, or the text between values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Text that the reader can see.
    Text(&'a str),
    /// A value, with its padding.
    Value(&'a str),
}

/// Splits a marked line into its values and the text between them.
pub fn segments(line: &str) -> Vec<Segment<'_>> {
    let pieces = line.split(BEGIN).flat_map(|piece| match piece.split_once(END) {
        Some((value, text)) => [Segment::Value(value), Segment::Text(text)],
        None => [Segment::Text(piece), Segment::Text("")],
    });
    pieces.filter(|segment| *segment != Segment::Text("")).collect()
}

/// The marks and the visible characters that replace them in files that people read, such as those
/// in `tests/blanks`.
const WRITTEN: [(char, char); 2] = [(BEGIN, '⟦'), (END, '⟧')];

/// Returns a marked line in the format for a file: `level: ⟦readable⟧`.
pub fn written(line: &str) -> String {
    WRITTEN
        .iter()
        .fold(line.to_owned(), |line, &(mark, sign)| line.replace(mark, &sign.to_string()))
}

/// Returns the marked line from which [`written`] made this text.
pub fn marked(line: &str) -> String {
    WRITTEN
        .iter()
        .fold(line.to_owned(), |line, &(mark, sign)| line.replace(sign, &mark.to_string()))
}

/// Returns a line without its marks.
pub fn plain(line: &str) -> String {
    line.replace([BEGIN, END], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_marked_and_everything_else_of_a_line_is_given() {
        mark();
        let (name, count) = ("Ann", 7);
        let line =
            format!("{{{name:<5}}} {:?} {:>3}, {:#06x}", Value("Bo"), Value(&count), Value(&8));
        let text = "{Ann  } \"Bo\"   7, 0x0008";
        assert_eq!(plain(&line), text);
        let expected = [
            Segment::Text("{Ann  } "),
            Segment::Value("\"Bo\""),
            Segment::Text(" "),
            Segment::Value("  7"),
            Segment::Text(", "),
            Segment::Value("0x0008"),
        ];
        assert_eq!(segments(&line), expected);
        let joined = segments(&line)
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) | Segment::Value(text) => *text,
            })
            .collect::<String>();
        assert_eq!(joined, text);
    }
}
