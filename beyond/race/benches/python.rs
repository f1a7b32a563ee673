//! CPython as a contestant: a process that does a load whenever it's told to, on asyncio's own loop
//! or on uvloop. Its script is in `beyond/race/python/`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

pub(crate) struct Python {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Python {
    /// Starts a process with this loop, `asyncio` or `uvloop`. Returns `None` if it isn't at hand.
    pub(crate) fn start(script: &str, event_loop: &str) -> Result<Option<Self>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
        let mut command = Command::new(interpreter());
        command.arg(script).arg(event_loop).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut process) = command.spawn() else {
            return Ok(None);
        };
        let requests = process.stdin.take().context("its input")?;
        let answers = BufReader::new(process.stdout.take().context("its output")?);
        let mut python = Python { process, requests, answers };
        Ok((python.answer()? == "ready").then_some(python))
    }

    /// Does a load, such as `yield_alone 1000`, and returns the nanoseconds that it took.
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
        // It has no work left that could be lost.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the interpreter of the environment in which uvloop can be installed, if there is one.
fn interpreter() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let installed = root.join("target/race/python/bin/python3");
    if installed.exists() { installed } else { PathBuf::from("python3") }
}
