//! The judge's side of a sandbox: gives a task to the process inside and receives its report.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use judging::run::{Fault, SceneRun, spawn_process};
use rustix::process::{Signal, kill_process, kill_process_group};

use crate::inside::{BEGUN, Reported, Task, read_at_most};

/// We wait for a run inside for at most this many times the run's time limit, plus [`LONGEST`]. The
/// factor is larger than a run's own maximum, so that a slow run can still end by itself.
const MOST_WAITS: u32 = 12;
/// The part of the maximum wait that doesn't depend on the run's time limit.
const LONGEST: Duration = Duration::from_secs(30);
/// The maximum size of a report, in bytes. A run is stopped long before it has produced this much
/// output.
const LONGEST_REPORT: u64 = 64 * 1024 * 1024;
/// The maximum total length of bwrap's error messages, in bytes. Longer messages are ignored.
const LONGEST_COMPLAINT: u64 = 4096;

/// Starts a sandbox, or a process without a sandbox, sends a task to the process inside, and
/// returns the process's report.
///
/// Fails with bwrap's message if the sandbox didn't even begin, or if bwrap couldn't start the
/// program. Also fails if the process inside reports a reason why there was no run.
pub(crate) fn do_inside(mut command: Command, task: &Task) -> anyhow::Result<SceneRun> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut guard = spawn_process(&mut command)
        .with_context(|| format!("start {}", command.get_program().display()))?;
    let mut stdin = guard.child.stdin.take().context("its input")?;
    let stdout = guard.child.stdout.take().context("its output")?;
    let stderr = guard.child.stderr.take().context("its errors")?;
    let (sender, report) = channel();
    thread::spawn(move || sender.send(read_at_most(stdout, LONGEST_REPORT)));
    // An error means that the process has already ended, and its output says why.
    let _ = stdin.write_all(&serde_json::to_vec(task).context("write the task")?);
    drop(stdin);
    let patience = task.asked.as_ref().map(|asked| asked.patience).unwrap_or_default();
    let report = report.recv_timeout(patience * MOST_WAITS + LONGEST).unwrap_or_else(|_| {
        let process = guard.pid();
        // Without a sandbox, the process is the first process in a group.
        let _ = kill_process_group(process, Signal::KILL);
        let _ = kill_process(process, Signal::KILL);
        Ok(vec![BEGUN])
    });
    let status = guard.wait().context("wait for the sandbox")?;
    let report = report.context("read the report")?;
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
        // A page can end the reporting process, or use up the memory that the reporting process
        // needs.
        Err(_) => Ok(SceneRun { faults: vec![Fault::NoReport], ..SceneRun::default() }),
    }
}
