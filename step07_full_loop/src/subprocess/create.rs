//! Starting a program.

use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use step06_tasks::Result;

use super::child::Child;
use super::{PipeReader, PipeWriter, Process};
use crate::event_loop::{EventLoop, get_running_loop};

/// Starts a program on the loop that runs in this thread; asyncio's `create_subprocess_exec`. For its
/// `create_subprocess_shell`, start `sh` with `-c`.
///
/// std's [`Command`] says which, with which arguments, and what its input and output are: by default
/// those of this process. With [`Stdio::piped`](std::process::Stdio::piped) they can be awaited. Fails
/// as [`Command::spawn`] does, or if no descriptor is left; nothing runs on then.
///
/// ```
/// use std::process::{Command, Stdio};
/// use step07_full_loop::{create_subprocess, run};
///
/// let (output, code) = run(async {
///     let mut command = Command::new("tr");
///     command.args(["a-z", "A-Z"]).stdin(Stdio::piped()).stdout(Stdio::piped());
///     let mut process = create_subprocess(&mut command)?;
///     let (output, _) = process.communicate(b"hello").await?;
///     Ok((output, process.wait().await?))
/// })?;
/// assert_eq!((output.as_deref(), code), (Some(&b"HELLO"[..]), 0));
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub fn create_subprocess(command: &mut Command) -> Result<Process> {
    let event_loop = get_running_loop()?;
    let mut started = command.spawn()?;
    let (stdin, stdout, stderr) =
        (started.stdin.take(), started.stdout.take(), started.stderr.take());
    let child = Child::watch(&event_loop, started)?;
    let mut process = Process { stdin: None, stdout: None, stderr: None, child };
    let connected = process.connect(&event_loop, stdin, stdout, stderr);
    if connected.is_err() {
        // It fails only if the program has ended by itself.
        let _ = process.kill();
    }
    connected.map(|()| process)
}

impl Process {
    fn connect(
        &mut self,
        event_loop: &EventLoop,
        stdin: Option<ChildStdin>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> Result<()> {
        self.stdin = stdin.map(|pipe| PipeWriter::new(event_loop, pipe.into())).transpose()?;
        self.stdout = stdout.map(|pipe| PipeReader::new(event_loop, pipe.into())).transpose()?;
        self.stderr = stderr.map(|pipe| PipeReader::new(event_loop, pipe.into())).transpose()?;
        Ok(())
    }
}
