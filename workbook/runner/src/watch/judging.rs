//! One judgement, made by this program in a process of its own.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::News;
use crate::run::{ChildGuard, spawn_judge};
use crate::step::this_program;
use crate::terminal::{FORCE_COLOUR, Terminal, wants_colour};

/// A judgement that's under way.
#[derive(Debug)]
pub(super) struct Judging {
    pub(super) number: u64,
    guard: ChildGuard,
    began: Instant,
}

impl Judging {
    /// Starts the judge. Its report, with what the compiler says, is told at its end.
    pub(super) fn begin(number: u64, tell: Sender<News>) -> anyhow::Result<Judging> {
        let (mut reader, writer) = io::pipe().context("make a pipe for the judge's report")?;
        let mut command = Command::new(this_program());
        command
            // The judge can't ask the terminal, and its width can have changed since the last time.
            .env("COLUMNS", Terminal::of_stdout().width.to_string())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().context("duplicate the pipe for the judge's report")?)
            .stderr(writer);
        if wants_colour(&io::stdout()) {
            command.env(FORCE_COLOUR, "1");
        }
        let guard = spawn_judge(&mut command).context("start the judge")?;
        // `command` contains our copies of the pipe's writing end, which would keep the pipe open.
        drop(command);
        thread::spawn(move || {
            let mut report = Vec::new();
            // If this fails halfway, the bytes read so far are still useful.
            let _ = reader.read_to_end(&mut report);
            // An error means that `watch` is ending.
            let _ = tell.send(News::Judged { number, report });
        });
        Ok(Judging { number, guard, began: Instant::now() })
    }

    /// Waits for the judge, whose report is complete, and returns how long it took.
    pub(super) fn end(mut self) -> Duration {
        // An error can only mean that it was waited for already.
        let _ = self.guard.wait();
        self.began.elapsed()
    }

    /// Ends the judge, its compilers and its scenes, and waits until it's gone.
    pub(super) fn cancel(self) {
        self.guard.end();
        self.end();
    }
}
