//! The conversation of `predict`: one line after the other, each answered at once.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};
use std::thread;

use anyhow::Context;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use super::answer::is_right;
use super::misconceptions::{Misconception, overlooked};
use super::sheet::{BLANK, Line, Sheet};
use judging::terminal::{Terminal, cut, visible};

/// Asks for the lines of a sheet.
pub(crate) struct Asking<'a> {
    terminal: &'a Terminal,
    sheet: &'a Sheet,
    misconceptions: &'a [Misconception],
    outcomes: &'a BTreeSet<String>,
    /// Whether the terminal shows what's typed. Otherwise we do.
    is_echoed: bool,
}

/// How the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Every line was asked for.
    Complete,
    /// The input ended before: Ctrl-D.
    Stopped,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        terminal: &'a Terminal,
        sheet: &'a Sheet,
        misconceptions: &'a [Misconception],
        outcomes: &'a BTreeSet<String>,
    ) -> Self {
        Asking { terminal, sheet, misconceptions, outcomes, is_echoed: io::stdin().is_terminal() }
    }

    /// Asks for all lines but the first `skipped`, which were asked for another time. Tells
    /// `answered` about each answer before the next question, so that Ctrl-C loses none.
    pub(crate) fn ask(
        &mut self,
        skipped: usize,
        mut answered: impl FnMut(bool) -> anyhow::Result<()>,
    ) -> anyhow::Result<End> {
        end_quietly_on_ctrl_c();
        let mut number = 0;
        let all = self.sheet.asked();
        for (at, line) in self.sheet.lines.iter().enumerate() {
            if !line.is_asked() {
                self.print(&self.terminal.dim(&self.wrapped("", &line.text)));
                continue;
            }
            number += 1;
            if number <= skipped {
                let shown = self.wrapped(&place(number, all), &line.text);
                self.print(&self.terminal.dim(&shown));
                continue;
            }
            let blanks = match line.asked.matches(BLANK).count() {
                0 | 1 => String::new(),
                several => format!("({several} blanks) "),
            };
            let asked = self.wrapped(&place(number, all), &line.asked);
            self.print(&format!("{asked}     {blanks}> "));
            let Some(typed) = self.read()? else { return Ok(End::Stopped) };
            let is_right = is_right(&typed, line, self.outcomes);
            answered(is_right)?;
            self.print(&self.reply(&typed, line, is_right));
            if !is_right {
                let why = overlooked(self.misconceptions, at, &typed, self.outcomes);
                self.print(&why.map_or_else(String::new, |why| self.wrapped("", why)));
            }
        }
        Ok(End::Complete)
    }

    /// Reads an answer. Returns `None` at the end of the input.
    fn read(&self) -> anyhow::Result<Option<String>> {
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

    fn reply(&self, typed: &str, line: &Line, is_right: bool) -> String {
        let Line { text, .. } = line;
        if is_right {
            return self.terminal.green(&self.wrapped("     ✓", text));
        }
        let mut reply = self.terminal.red(&self.wrapped("     ✗", text));
        if !typed.is_empty() {
            let said = format!("you said: {}", cut(&visible(typed)));
            reply += &self.wrapped("", &said);
        }
        reply
    }

    /// Formats a line of the transcript behind a short sign.
    fn wrapped(&self, sign: &str, line: &str) -> String {
        self.terminal.wrap_hanging(&format!("{sign:<7}"), "         ", line)
    }

    fn print(&self, text: &str) {
        self.terminal.print(text);
    }
}

fn place(number: usize, all: usize) -> String {
    format!("{number}/{all}")
}

/// Makes Ctrl-C end the program as it ends any other command here, with the prompt on a line of its
/// own. Every answer is noted by then.
fn end_quietly_on_ctrl_c() {
    let Ok(mut signals) = Signals::new([SIGINT]) else { return };
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let stopped = "\nStopped; the score is kept.\n";
            Terminal::of_stdout().print(stopped);
            std::process::exit(128 + signal);
        }
    });
}
