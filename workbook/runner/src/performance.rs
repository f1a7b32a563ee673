//! The runner's side: plays a scene in a process of its own, watches over it, and tells what came
//! of it.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::fault::Fault;
use crate::gathered::Gathered;
use crate::lifeline::{self, Tied};
use crate::look::look;
use crate::streams::{News, listen};

/// What came of playing a scene once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Performance {
    /// What the scene said, a line each.
    pub transcript: String,
    /// What else the program printed, up to a limit.
    pub printed: String,
    /// How many bytes of output were cut.
    pub cut: u64,
    /// What went wrong, the most telling first; empty if the scene is clean.
    pub faults: Vec<Fault>,
}

/// How long a scene may take. They take less than a second, so this is for those that hang.
pub fn patience() -> Duration {
    let seconds = std::env::var("WORKBOOK_PATIENCE").ok();
    let seconds = seconds.and_then(|text| text.parse::<f64>().ok());
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|patience| !patience.is_zero())
        .unwrap_or(Duration::from_secs(5))
}

/// How long output may still come after the process has ended: from a process that left the group.
const AFTERMATH: Duration = Duration::from_millis(200);

impl Performance {
    /// Plays a scene of a step's program.
    pub fn of(program: &Path, scene: &str) -> anyhow::Result<Performance> {
        Performance::shown(program, scene, &mut |_| ())
    }

    /// Plays a scene, and shows each line of its transcript as it comes.
    pub fn shown(
        program: &Path,
        scene: &str,
        show: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Performance> {
        let mut command = Command::new(program);
        command
            .args(["run-scene", scene])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut tied = lifeline::spawn_group(&mut command)
            .with_context(|| format!("start {}", program.display()))?;
        let pid = tied.pid();
        let news = listen(&mut tied.child, pid);

        let mut gathered = Gathered::default();
        let stopped = follow(&tied, &news, &mut gathered, show);
        // Nobody has reaped it yet, so the number is still its own.
        tied.end();
        let status = tied.child.wait().context("wait for the scene")?;
        hear_out(&news, &mut gathered, show);
        Ok(gathered.into_performance(stopped, ending(status)))
    }

    /// What is wrong, as a sentence; `None` if nothing is.
    pub fn sentence(&self) -> Option<String> {
        let sentences: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join("; and "))
    }
}

/// Gathers what the scene says until its process ends. If it does not end by itself, says why it
/// has to be stopped.
fn follow(
    tied: &Tied,
    news: &Receiver<News>,
    gathered: &mut Gathered,
    show: &mut dyn FnMut(&str),
) -> Option<Fault> {
    let patience = patience();
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match news.recv_timeout(left) {
            Ok(News::Wrote(stream, bytes)) => gathered.take(stream, &bytes, show),
            Ok(News::Closed(stream)) => gathered.close(stream, show),
            Ok(News::Ended) => return None,
            // Disconnected cannot come before Ended; either way there is no more to hear.
            Err(_) => return Some(look(tied.pid(), patience)),
        }
        if gathered.is_flooded() {
            return Some(Gathered::flood());
        }
    }
}

/// The process is gone; what it wrote before may still be on its way.
fn hear_out(news: &Receiver<News>, gathered: &mut Gathered, show: &mut dyn FnMut(&str)) {
    let deadline = Instant::now() + AFTERMATH;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match news.recv_timeout(left) {
            Ok(News::Wrote(stream, bytes)) => gathered.take(stream, &bytes, show),
            Ok(News::Closed(stream)) => gathered.close(stream, show),
            Ok(News::Ended) => (),
            // Both streams are closed, or somebody who is not ours holds them open.
            Err(_) => return,
        }
    }
}

/// How the process ended, if not with exit code 0.
fn ending(status: ExitStatus) -> Fault {
    match status.signal() {
        Some(signal) => Fault::Killed { signal },
        None => Fault::Exited { code: status.code().unwrap_or(0) },
    }
}
