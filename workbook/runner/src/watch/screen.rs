//! What the reader of `watch` sees: the latest verdict, and what happens now. In a terminal each verdict
//! takes the place of the one before; in a file or a pipe they follow each other.
//!
//! The terminal's settings stay as they are, so however the program ends, nothing needs to be restored.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crate::terminal::Terminal;

/// Standard output.
#[derive(Debug)]
pub(super) struct Screen {
    /// The page's directory, as the reader would type it.
    pub(super) page: String,
    /// True if it's a terminal that can clear its screen.
    can_clear: bool,
    /// True if it already says that a judgement is under way.
    says_judging: bool,
}

/// Moves to the first line, and erases everything from there on.
const CLEAR: &str = "\x1b[H\x1b[J";

impl Screen {
    pub(super) fn of_stdout(page: String) -> Screen {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let mut screen =
            Screen { page, can_clear: io::stdout().is_terminal() && !is_dumb, says_judging: false };
        screen.judging();
        screen
    }

    /// Says that a judgement is under way. The last verdict stays.
    pub(super) fn judging(&mut self) {
        if self.can_clear && !self.says_judging {
            let terminal = Terminal::of_stdout();
            terminal.print(&terminal.dim("judging …\n"));
            self.says_judging = true;
        }
    }

    /// Shows a verdict. Returns false if standard output is closed, so that nothing can be shown.
    pub(super) fn show(&mut self, report: &[u8], took: Duration) -> bool {
        let terminal = Terminal::of_stdout();
        let seconds = took.as_secs_f64();
        let about = format!(
            "Judged in {seconds:.1} s. Save a file in {} to judge it again; Ctrl-C ends.",
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
