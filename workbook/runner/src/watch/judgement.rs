//! A judgement in a separate process, which runs this same program.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::News;
use crate::arguments::Form;
use judging::run::{ChildGuard, spawn_judge};
use judging::step::this_program;
use judging::terminal::{FORCE_COLOUR, Terminal, wants_colour};

/// A judgement in progress.
#[derive(Debug)]
pub(super) struct Judging {
    pub(super) number: u64,
    guard: ChildGuard,
    began: Instant,
}

impl Judging {
    /// Starts the judge. The judge's report, including the compiler's messages, is passed on when
    /// it's complete. With `--json`, each line is passed on immediately.
    pub(super) fn begin(number: u64, form: Form, tell: Sender<News>) -> anyhow::Result<Judging> {
        let (reader, writer) = io::pipe().context("make a pipe for the judge's report")?;
        let mut command = Command::new(this_program());
        command
            // The judge can't ask the terminal for its width, which may have changed since the last
            // judgement.
            .env("COLUMNS", Terminal::of_stdout().width.to_string())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().context("duplicate the pipe for the judge's report")?);
        command.arg("judge-for-watch");
        match form {
            Form::Text => {
                command.stderr(writer);
            }
            Form::Problems => {
                command.arg("--problems").stderr(writer);
            }
            Form::Json => {
                command.arg("--json");
                drop(writer);
            }
        }
        if wants_colour(&io::stdout()) {
            command.env(FORCE_COLOUR, "1");
        }
        let guard = spawn_judge(&mut command).context("start the judge")?;
        // `command` contains our copies of the pipe's writing end, which would keep the pipe open.
        drop(command);
        let listen = if form == Form::Json { tell_lines } else { tell_all };
        thread::spawn(move || listen(number, reader, &tell));
        Ok(Judging { number, guard, began: Instant::now() })
    }

    /// Waits for a judge whose report is complete. Returns the time that the judgement took and the
    /// judge's exit status.
    pub(super) fn end(mut self) -> (Duration, Option<ExitStatus>) {
        // An error can only mean that we've already waited for the judge.
        let status = self.guard.wait().ok();
        (self.began.elapsed(), status)
    }

    /// Stops the judge with its compilers and scenes and waits until the judge has ended.
    pub(super) fn cancel(self) {
        self.guard.end();
        self.end();
    }
}

/// Passes on the whole report when it's complete.
fn tell_all(number: u64, mut from: io::PipeReader, tell: &Sender<News>) {
    let mut report = Vec::new();
    // If this fails halfway, the bytes read so far are still useful.
    let _ = from.read_to_end(&mut report);
    // An error means that `watch` is exiting.
    let _ = tell.send(News::Judged { number, report });
}

/// Passes on each complete line. Discards an incomplete line, which a judge leaves if we stop it in
/// the middle of a line.
fn tell_lines(number: u64, from: io::PipeReader, tell: &Sender<News>) {
    let mut from = BufReader::new(from);
    let mut line = String::new();
    while from.read_line(&mut line).is_ok() && line.ends_with('\n') {
        let _ = tell.send(News::Said { number, line: std::mem::take(&mut line) });
    }
    let _ = tell.send(News::Judged { number, report: Vec::new() });
}
