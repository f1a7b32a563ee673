//! What the reader sees: colour where it helps, a width that fits, and no panic when the other end
//! of a pipe is gone.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Where reports are written: standard output, as wide and as colourful as it allows.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    pub(crate) colour: bool,
    /// How many columns a report may use.
    pub width: usize,
}

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 110;

impl Terminal {
    /// Standard output: colour only on a terminal that wants it.
    pub fn of_stdout() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Terminal { colour: !plain && io::stdout().is_terminal(), width: width().clamp(30, WIDEST) }
    }

    /// Writes text. An error isn't reported: the reader of a pipe, say `head -1`, may have left.
    pub fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// For what is right.
    pub fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    /// For what is wrong.
    pub fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    /// For what stands out.
    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// For what can be skipped.
    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Wraps text to the width, each line indented, with a newline at the end.
    pub fn wrap(&self, indent: &str, text: &str) -> String {
        self.wrap_hanging(indent, indent, text)
    }

    /// Wraps text, with one indentation for the first line and another for the others.
    pub(crate) fn wrap_hanging(&self, first: &str, others: &str, text: &str) -> String {
        let options = textwrap::Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(others)
            // Paths and commands stay in one piece.
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .break_words(false);
        textwrap::fill(text, options) + "\n"
    }

    /// The colour ends before the newline, so that it never reaches the next line.
    fn paint(self, code: &str, text: &str) -> String {
        let line = text.trim_end_matches('\n');
        let newlines = &text[line.len()..];
        if self.colour { format!("\x1b[{code}m{line}\x1b[0m{newlines}") } else { text.to_owned() }
    }
}

fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    match size {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80),
    }
}

/// Makes text from the reader's program safe to show: control characters are spelled out.
pub(crate) fn visible(text: &str) -> String {
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

/// A path as the reader would type it: relative to the current directory if it's inside.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    inside.as_deref().unwrap_or(path).display().to_string()
}
