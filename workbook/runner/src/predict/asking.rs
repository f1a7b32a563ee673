//! The conversation of `predict`, which asks for one line after another and checks each answer
//! immediately.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Context;

use super::sheet::{Form, Line, Sheet};
use judging::run::on_exit;
use judging::terminal::{Terminal, cut, visible};

/// The conversation about a sheet's lines.
pub(crate) struct Asking<'a> {
    terminal: &'a Terminal,
    sheet: &'a Sheet,
    /// True if the terminal shows the reader's input. Otherwise we show it.
    is_echoed: bool,
}

/// The ways in which the conversation can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// We asked for every line.
    Complete,
    /// The input ended early, with Ctrl-D.
    Stopped,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(terminal: &'a Terminal, sheet: &'a Sheet) -> Self {
        Asking { terminal, sheet, is_echoed: io::stdin().is_terminal() }
    }

    /// Asks for all lines after the first `skipped` lines, which were asked for earlier. Before the
    /// next question, tells `answered` whether the answer is right, so that Ctrl-C doesn't lose any
    /// answer.
    pub(crate) fn ask(
        &mut self,
        skipped: usize,
        mut answered: impl FnMut(bool) -> anyhow::Result<()>,
    ) -> anyhow::Result<End> {
        on_exit(say_stopped);
        let mut number = 0;
        for (at, line) in self.sheet.lines.iter().enumerate() {
            if !line.is_asked {
                self.print(&self.terminal.dim(&self.wrapped("", &line.text)));
                continue;
            }
            number += 1;
            if number <= skipped {
                let shown = self.wrapped(&self.place(number), &line.text);
                self.print(&self.terminal.dim(&shown));
                continue;
            }
            let asked = self.wrapped(&self.place(number), &line.form.asked);
            self.print(&(asked + &self.words_for(&line.form)));
            let Some(typed) = self.read(at)? else { return Ok(End::Stopped) };
            let is_right = self.sheet.is_right(at, &typed);
            answered(is_right)?;
            self.print(&self.reply(at, &typed, line, is_right));
            if !is_right {
                let why = self.sheet.overlooked(at, &typed);
                self.print(&why.map_or_else(String::new, |why| self.wrapped("", why)));
            }
        }
        Ok(End::Complete)
    }

    /// Returns a line's position among the lines to predict.
    fn place(&self, number: usize) -> String {
        if self.sheet.asks_for_their_number() {
            return number.to_string();
        }
        format!("{number}/{}", self.sheet.asked())
    }

    /// Returns the words to choose from for a line's blanks. Blanks next to each other that take
    /// the same words share one list.
    fn words_for(&self, form: &Form) -> String {
        let mut blanks: Vec<_> = form.blanks.iter().filter(|it| !it.takes_number()).collect();
        blanks.dedup();
        let words = blanks.iter().map(|blank| {
            let words = blank.0.iter().map(|&index| &self.sheet.bank[index]);
            let words: Vec<String> = words.map(|it| format!("{} {}", it.label, it.text)).collect();
            self.terminal.dim(&self.wrapped("", &words.join(" · ")))
        });
        words.collect()
    }

    /// Reads an answer to a line, or an empty line. If the input isn't an answer, asks again, so no
    /// answer is wrong because of its format. Returns `None` at the end of the input.
    fn read(&self, at: usize) -> anyhow::Result<Option<String>> {
        loop {
            let blanks = match self.sheet.lines[at].form.blanks.len() {
                0 | 1 => String::new(),
                several => format!("({several} blanks) "),
            };
            self.print(&format!("     {blanks}> "));
            let Some(typed) = self.read_line()? else { return Ok(None) };
            if typed.is_empty() || self.sheet.read(at, &typed).is_some() {
                return Ok(Some(typed));
            }
            self.print(&self.wrapped("", &self.what_can_be_typed(at)));
        }
    }

    /// Returns a sentence that says what the reader can type, for a reader whose input isn't an
    /// answer.
    fn what_can_be_typed(&self, at: usize) -> String {
        let blanks = &self.sheet.lines[at].form.blanks;
        let what = match blanks.as_slice() {
            [] => "a line's letter and the values for its blanks",
            [blank] if blank.takes_number() => "a number",
            [_] => "one of the listed words, or its letter",
            _ => "a value for each blank, with commas between the values",
        };
        format!("That isn't an answer: type {what}. Enter alone shows the line.")
    }

    fn read_line(&self) -> anyhow::Result<Option<String>> {
        let mut typed = Vec::new();
        let count = io::stdin().lock().read_until(b'\n', &mut typed);
        if count.context("read your answer")? == 0 {
            self.print("\n");
            return Ok(None);
        }
        let typed = String::from_utf8_lossy(&typed).trim().to_owned();
        if !self.is_echoed {
            self.print(&format!("{}\n", visible(&typed)));
        }
        Ok(Some(typed))
    }

    fn reply(&self, at: usize, typed: &str, line: &Line, is_right: bool) -> String {
        let Line { text, .. } = line;
        if is_right {
            return self.terminal.green(&self.wrapped("     ✓", text));
        }
        let mut reply = self.terminal.red(&self.wrapped("     ✗", text));
        if !typed.is_empty() {
            let said = format!("you said: {}", cut(&visible(&self.sheet.in_words(at, typed))));
            reply += &self.wrapped("", &said);
        }
        reply
    }

    /// Formats a line of the transcript after a short sign.
    fn wrapped(&self, sign: &str, line: &str) -> String {
        self.terminal.wrap_hanging(&format!("{sign:<7}"), "         ", line)
    }

    fn print(&self, text: &str) {
        self.terminal.print(text);
    }
}

/// Says that the score is kept when a signal such as Ctrl-C ends the program. By then, all answers
/// that count have been saved.
fn say_stopped() {
    Terminal::of_stdout().print("\nStopped; the score is kept.\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_does_not_tell_the_number_of_lines_where_that_is_a_question() {
        let place = |list: &str| {
            let said = ["A".to_owned(), "B".to_owned(), "C".to_owned()];
            let sheet = Sheet::new("", &said, true, list).unwrap();
            Asking { terminal: &Terminal::PLAIN, sheet: &sheet, is_echoed: true }.place(1)
        };
        assert_eq!(place(""), "1");
        assert_eq!(place("- 2: A | It's once.\n- 3: A | It's once."), "1/2");
    }
}
