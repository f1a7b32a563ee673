//! The output of `watch`: the latest verdict and the current activity. In a terminal, each verdict
//! replaces the previous verdict. In a file, a pipe or a dumb terminal, or with `--problems`, the
//! verdicts follow each other. With `--json`, another program receives events instead.
//!
//! We don't change the terminal's settings, so there's nothing to restore, no matter how the
//! program ends.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crate::arguments::Form;
use crate::{events, object};
use judging::terminal::Terminal;

/// Standard output, as `watch` uses it.
#[derive(Debug)]
pub(super) struct Screen {
    /// The page's directory, as the reader would type it.
    pub(super) page: String,
    form: Form,
    /// True if we clear the screen before each verdict.
    can_clear: bool,
    /// True if the screen already says that a judgement is in progress.
    says_judging: bool,
    /// True if this judgement's verdict was passed on.
    has_verdict: bool,
}

/// Moves to the first line and erases everything from there on.
const CLEAR: &str = "\x1b[H\x1b[J";

impl Screen {
    pub(super) fn of_stdout(page: String, form: Form) -> Screen {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        // An editor reads all output in order, so we don't clear the screen.
        let can_clear = io::stdout().is_terminal() && !is_dumb && form == Form::Text;
        let mut screen = Screen { page, form, can_clear, says_judging: false, has_verdict: false };
        screen.judging();
        screen
    }

    /// Prints that a judgement is in progress, if we clear the screen or an editor reads the
    /// output. The last verdict stays on the screen.
    pub(super) fn judging(&mut self) {
        self.has_verdict = false;
        if (self.can_clear || self.form == Form::Problems) && !self.says_judging {
            let terminal = Terminal::of_stdout();
            terminal.print(&terminal.dim("judging …\n"));
            self.says_judging = true;
        }
    }

    /// Tells another program that the judgement was interrupted before its verdict.
    pub(super) fn interrupted(&self) {
        if self.form == Form::Json && !self.has_verdict {
            events::tell("interrupted", object! {});
        }
    }

    /// Tells another program which files were saved.
    pub(super) fn saved(&self, files: &[PathBuf]) {
        if self.form == Form::Json {
            events::saved(files);
        }
    }

    /// Passes on a line from the judge to another program.
    pub(super) fn pass_on(&mut self, line: &str) {
        self.has_verdict |= events::is_a_verdict(line);
        Terminal::of_stdout().print(line);
    }

    /// Shows a judge's report and, if that's a verdict, the time that the judgement took. Returns
    /// false if standard output is closed.
    pub(super) fn show(
        &mut self,
        report: &[u8],
        took: Option<Duration>,
        status: Option<ExitStatus>,
    ) -> bool {
        if self.form == Form::Json {
            if !self.has_verdict {
                let how = status.map(|status| status.to_string()).unwrap_or_default();
                let words = format!("the judge ended without a verdict ({how})");
                events::tell("error", object! { words: words });
            }
            // If no program reads the output any more, `events` ends this process.
            return true;
        }
        let terminal = Terminal::of_stdout();
        let judged = took.map(|took| format!("Judged in {:.1} s. ", took.as_secs_f64()));
        let about = format!(
            "{}To judge again, save a file in {}; to stop, press Ctrl-C.",
            judged.unwrap_or_default(),
            self.page
        );
        let mut bytes = if self.can_clear { CLEAR.as_bytes().to_vec() } else { Vec::new() };
        bytes.extend(report);
        bytes.extend(format!("\n{}", terminal.dim(&terminal.wrap("", &about))).into_bytes());
        self.says_judging = false;
        let mut out = io::stdout().lock();
        out.write_all(&bytes).and_then(|()| out.flush()).is_ok()
    }
}
