//! CPython as a contestant: a process that runs loads on asyncio's loop on request. Its scripts are
//! in `beyond/race/python/`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

pub(crate) struct Python {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Python {
    /// Starts CPython with this script. Returns `None` if python3 isn't installed or is too old.
    pub(crate) fn start(script: &str) -> Result<Option<Self>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
        let mut command = Command::new("python3");
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut process) = command.spawn() else {
            return Ok(None);
        };
        let requests = process.stdin.take().context("its input")?;
        let answers = BufReader::new(process.stdout.take().context("its output")?);
        let mut python = Python { process, requests, answers };
        Ok((python.answer()? == "ready").then_some(python))
    }

    /// Runs a load, such as `yield_in_turn 1000`, and returns its nanoseconds of processor time.
    pub(crate) fn run(&mut self, load: &str) -> Result<u64> {
        writeln!(self.requests, "{load}").context("ask CPython for a load")?;
        let answer = self.answer()?;
        answer.parse().with_context(|| format!("CPython answered {answer:?}"))
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).context("read CPython's answer")?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // The process has no unfinished work, so killing it loses nothing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
