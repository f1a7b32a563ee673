//! Output for the reader: in colour if the terminal supports colour, in lines that fit the width,
//! and without a panic if the other end of a pipe is closed.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The properties of standard output, to which reports are written: its width and its colour
/// support.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// True if reports are in colour.
    pub colour: bool,
    /// The width of a report, in columns.
    pub width: usize,
}

/// The maximum width to which we wrap text, in columns. Longer lines are hard to read, however wide
/// the terminal is.
const WIDEST: usize = 110;

impl Terminal {
    /// Describes standard output.
    pub fn of_stdout() -> Self {
        Terminal { colour: wants_colour(&io::stdout()), width: width().clamp(30, WIDEST) }
    }

    /// A plain terminal, for text in a file or on a page of the book.
    pub const PLAIN: Terminal = Terminal { colour: false, width: 92 };
    /// A terminal without wrapping, for text that goes to another program with its own width.
    pub const UNWRAPPED: Terminal = Terminal { colour: false, width: usize::MAX };

    /// Writes text. Ignores errors, because another program, such as `head -1`, may already have
    /// closed its end of a pipe.
    pub fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Colours text green, for success.
    pub fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Colours text red, for errors.
    pub fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Makes text bold, for emphasis.
    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Dims text that the reader can skip.
    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Wraps text to the width, indents each line, and adds a newline at the end. A word that's
    /// longer than a line isn't broken.
    pub fn wrap(&self, indent: &str, text: &str) -> String {
        self.wrap_hanging(indent, indent, text)
    }

    /// Wraps text with a separate indentation for the first line.
    pub fn wrap_hanging(&self, first: &str, others: &str, text: &str) -> String {
        let options = textwrap::Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(others)
            // Don't break paths and commands.
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .break_words(false);
        textwrap::fill(text, options) + "\n"
    }

    /// Colours text. The colour ends before the text's final newlines, so it doesn't spread to the
    /// lines below the text.
    fn paint(self, code: &str, text: &str) -> String {
        let line = text.trim_end_matches('\n');
        let newlines = &text[line.len()..];
        if self.colour { format!("\x1b[{code}m{line}\x1b[0m{newlines}") } else { text.to_owned() }
    }
}

/// Returns true if text for a stream should be in colour: the stream is a terminal, `NO_COLOR` is
/// missing or empty, and `TERM` is neither missing nor `dumb`. With `CLICOLOR_FORCE=1`, a pipe
/// counts as a terminal. If its own output is coloured, the runner's `watch` sets this variable
/// when it starts a judge, because `watch` shows the judge's report itself.
pub fn wants_colour(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let forced = std::env::var_os(FORCE_COLOUR).is_some_and(|value| value == "1");
    !plain && (forced || stream.is_terminal())
}

/// The environment variable that makes many programs write coloured text into a pipe.
pub const FORCE_COLOUR: &str = "CLICOLOR_FORCE";

fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    match size {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80),
    }
}

/// Makes text from the reader's program safe to show by escaping all control characters except
/// newlines and tabs.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() && char != '\n' && char != '\t' {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Truncates a line after 400 characters and says how many more characters it had.
pub fn cut(line: &str) -> String {
    const LONGEST: usize = 400;
    match line.char_indices().nth(LONGEST) {
        None => line.to_owned(),
        Some((end, _)) => {
            let more = count(line[end..].chars().count(), "more character");
            format!("{} … cut: {more}", &line[..end])
        }
    }
}

/// Returns a number with its noun: `1 exercise`, `2 exercises`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a path as the reader would type it: relative to the current directory, unless the path
/// is in a different part of the file system.
pub fn shown(path: &Path) -> String {
    let relative = std::env::current_dir().ok().and_then(|here| relative(path, &here));
    relative.as_deref().unwrap_or(path).display().to_string()
}

/// Returns a path relative to the directory `from`, if the two paths have more than the root in
/// common.
fn relative(path: &Path, from: &Path) -> Option<PathBuf> {
    let common = from.ancestors().find(|dir| path.starts_with(dir))?;
    common.parent()?;
    let up = from.strip_prefix(common).ok()?.components().map(|_| "..");
    let down = path.strip_prefix(common).ok()?.to_str().filter(|down| !down.is_empty());
    let way: PathBuf = up.chain(down).collect();
    Some(if way.as_os_str().is_empty() { PathBuf::from(".") } else { way })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_from_where_the_reader_stands() {
        let way = |path: &str, from: &str| {
            relative(Path::new(path), Path::new(from)).map(|way| way.display().to_string())
        };
        assert_eq!(way("/some/book/pages", "/some/book").as_deref(), Some("pages"));
        assert_eq!(way("/some/pages/a.rs", "/some/pages/b/src").as_deref(), Some("../../a.rs"));
        assert_eq!(way("/some", "/some").as_deref(), Some("."));
        assert_eq!(way("/some", "/some/pages").as_deref(), Some(".."));
        assert_eq!(way("/some", "/tmp"), None);
    }

    #[test]
    fn a_long_line_is_cut_and_a_short_one_is_not() {
        assert_eq!(cut("short"), "short");
        let long = "ä".repeat(401);
        assert_eq!(cut(&long), format!("{} … cut: 1 more character", "ä".repeat(400)));
    }
}
