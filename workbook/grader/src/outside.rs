//! The judge's side of a sandbox: gives the process inside its task and takes its report.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use judging::run::{Fault, SceneRun, spawn_process};
use rustix::process::{Signal, kill_process, kill_process_group};

use crate::inside::{BEGUN, Reported, Task, read_at_most};

/// How often a run's time limit is granted inside, and a few times more.
const MOST_WAITS: u32 = 12;
/// What a run may take beside that.
const LONGEST: Duration = Duration::from_secs(30);
/// The longest report, in bytes. What's kept of a run is much less.
const LONGEST_REPORT: u64 = 64 * 1024 * 1024;
/// How much we read of what bwrap complains of.
const LONGEST_COMPLAINT: u64 = 4096;

/// Starts a sandbox, or the process that does without, and lets it do a task.
///
/// Fails if it didn't even begin, with what bwrap says, or if it couldn't start the program.
pub(crate) fn do_inside(mut command: Command, task: &Task) -> anyhow::Result<SceneRun> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut guard = spawn_process(&mut command)
        .with_context(|| format!("start {}", command.get_program().display()))?;
    let mut stdin = guard.child.stdin.take().context("its input")?;
    let stdout = guard.child.stdout.take().context("its output")?;
    let stderr = guard.child.stderr.take().context("its errors")?;
    let (sender, report) = channel();
    thread::spawn(move || sender.send(read_at_most(stdout, LONGEST_REPORT)));
    // If it has ended already, it says why.
    let _ = stdin.write_all(&serde_json::to_vec(task).context("write the task")?);
    drop(stdin);
    let patience = task.asked.as_ref().map(|asked| asked.patience).unwrap_or_default();
    let report = report.recv_timeout(patience * MOST_WAITS + LONGEST).unwrap_or_else(|_| {
        let process = guard.pid();
        // It's the first of a group if there's no sandbox.
        let _ = kill_process_group(process, Signal::KILL);
        let _ = kill_process(process, Signal::KILL);
        Ok(vec![BEGUN])
    });
    let status = guard.wait().context("wait for the sandbox")?;
    let report = report.context("read what's reported")?;
    let Some((&BEGUN, report)) = report.split_first() else {
        let said = read_at_most(stderr, LONGEST_COMPLAINT).unwrap_or_default();
        match String::from_utf8_lossy(&said).trim() {
            "" => bail!("{} ended with {status}", command.get_program().display()),
            said => bail!("{said}"),
        }
    };
    match serde_json::from_slice::<Reported>(report) {
        Ok(Ok(run)) => Ok(run),
        Ok(Err(why)) => bail!("{why}"),
        // A page can end the process that reports, or use up the memory that it needs.
        Err(_) => Ok(SceneRun { faults: vec![Fault::NoReport], ..SceneRun::default() }),
    }
}
