//! How a process starts, and how the loop watches it.
//!
//! A process that has ended stays in the kernel's table as a zombie until its parent fetches its
//! status. So the loop fetches the status, whether or not a task is waiting for the process: the
//! loop watches the process's descriptor and keeps the [`Child`] until the process ends. If the
//! loop is closed earlier, the process is killed as soon as the `Child` has no other owner. CPython
//! since 3.12 kills the process, too.

use std::cell::{Cell, RefCell};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::rc::Rc;
use std::{fmt, io};

use step01_fd::{CallError, pidfd_open, pidfd_send_signal};
use step06_tasks::{Error, ExceptionContext, Future, Result};

use super::pipes::{PipeReader, PipeWriter, exchange};
use crate::wait_list::WaitList;
use crate::{EventLoop, get_running_loop};

/// A program that was started by [`create_subprocess`](crate::create_subprocess); asyncio's
/// `Process`.
///
/// Dropping this value closes the pipes, but the program keeps running. When the program ends, the
/// loop fetches the program's status, so no zombie is left. Once the loop is closed and this value
/// is dropped, a program that's still running is killed.
pub struct Process {
    /// The program's input, if it's a pipe. `drop(process.stdin.take())` closes the pipe, and the
    /// program then reads the end of its input.
    pub stdin: Option<PipeWriter>,
    /// The program's output, if it's a pipe.
    pub stdout: Option<PipeReader>,
    /// The program's error output, if it's a pipe.
    pub stderr: Option<PipeReader>,
    child: Rc<Child>,
}

impl Process {
    /// Returns the process ID. Once the process has ended and the loop has fetched its status,
    /// another process can get the same ID, so don't send signals to the ID: use
    /// [`send_signal`](Process::send_signal).
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Returns the program's exit code or, if a signal has killed the program, minus the signal's
    /// number. Returns `None` until the loop has fetched the status.
    pub fn returncode(&self) -> Option<i32> {
        self.child.returncode.get()
    }

    /// Waits until the program ends and returns its [`returncode`](Process::returncode). Any number
    /// of tasks can wait, and cancelling or dropping a wait doesn't lose the return code.
    ///
    /// If the program's output is a pipe that no task reads, the program may wait for room and
    /// never end: see [`communicate`](Process::communicate). `wait` doesn't wait for other programs
    /// that the program has started. Until 2026 (gh-119710), CPython usually waited for those, too,
    /// as long as they shared the pipes.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub async fn wait(&self) -> Result<i32> {
        if let Some(returncode) = self.returncode() {
            return Ok(returncode);
        }
        let child = &self.child;
        let wait = WaitForExit(child.waiters.borrow_mut().add(&child.event_loop));
        wait.0.clone().await
    }

    /// Writes `input` and closes the pipe while reading both outputs to the end. Then waits until
    /// the process ends and returns the outputs, with `None` for an output without a pipe;
    /// asyncio's `communicate`.
    ///
    /// A program needn't read all of its input: if the program closes the pipe, the rest is
    /// dropped. When the call is over, the pipes are closed, even if the call was cancelled. After
    /// a cancellation the outputs are lost, but you can still wait for the process.
    ///
    /// # Errors
    ///
    /// Fails if there's input but no pipe for it, and then leaves the outputs' pipes open. Also
    /// fails with a pipe's error, and with `Cancelled` if the task is cancelled.
    pub async fn communicate(
        &mut self,
        input: &[u8],
    ) -> Result<(Option<Vec<u8>>, Option<Vec<u8>>)> {
        if self.stdin.is_none() && !input.is_empty() {
            // Check this before any pipe is taken: closing the output can kill the program at its
            // next write.
            return Err(Error::other("communicate: stdin isn't a pipe"));
        }
        let (stdin, stdout, stderr) = (self.stdin.take(), self.stdout.take(), self.stderr.take());
        let read = exchange((stdin, input), stdout, stderr).await?;
        self.wait().await?;
        Ok(read)
    }

    /// Sends a signal to this process and never to another process.
    ///
    /// # Errors
    ///
    /// Fails with `ESRCH` (in asyncio, a `ProcessLookupError`) once the loop has noticed that the
    /// process has ended. Between the end and that moment, the call does nothing and doesn't fail.
    /// Fails with `PermissionDenied` if the program now runs as a user whom this process may not
    /// signal, and with `InvalidInput` if there's no such signal.
    pub fn send_signal(&self, signal: i32) -> io::Result<()> {
        if self.returncode().is_some() {
            let call = format!("send signal {signal} to pid {}", self.pid());
            return Err(CallError::wrap(call, io::Error::from_raw_os_error(libc::ESRCH)));
        }
        pidfd_send_signal(&self.child.pidfd, signal)
    }

    /// Sends SIGTERM, which asks the process to end.
    ///
    /// # Errors
    ///
    /// Fails as [`send_signal`](Process::send_signal) does.
    pub fn terminate(&self) -> io::Result<()> {
        self.send_signal(libc::SIGTERM)
    }

    /// Sends SIGKILL, which kills the process.
    ///
    /// # Errors
    ///
    /// Fails as [`send_signal`](Process::send_signal) does.
    pub fn kill(&self) -> io::Result<()> {
        self.send_signal(libc::SIGKILL)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("pid", &self.pid())
            .field("returncode", &self.returncode())
            .finish_non_exhaustive()
    }
}

/// Starts a program, which the loop that runs in this thread then watches; asyncio's
/// `create_subprocess_exec`. For asyncio's `create_subprocess_shell`, start `sh` with `-c`.
///
/// std's [`Command`] names the program and its arguments. By default, the program shares the input
/// and the outputs of this process. With [`Stdio::piped`](std::process::Stdio::piped), an input or
/// an output is a pipe, and the returned [`Process`] owns this process's end of it.
///
/// # Errors
///
/// Fails as [`Command::spawn`] does, with an error that names the program. Also fails if no
/// descriptor is left or if no loop runs in this thread. Whenever the call fails, no program is
/// left running.
///
/// # Examples
///
/// ```
/// use std::process::{Command, Stdio};
/// use asyncio::{create_subprocess, run};
///
/// let (output, code) = run(async {
///     let mut command = Command::new("tr");
///     command.args(["a-z", "A-Z"]).stdin(Stdio::piped()).stdout(Stdio::piped());
///     let mut process = create_subprocess(&mut command)?;
///     let (output, _) = process.communicate(b"hello").await?;
///     Ok((output, process.wait().await?))
/// })?;
/// assert_eq!((output.as_deref(), code), (Some(&b"HELLO"[..]), 0));
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub fn create_subprocess(command: &mut Command) -> Result<Process> {
    let event_loop = get_running_loop()?;
    let mut started = command.spawn().map_err(|error| CallError::wrap(call(command), error))?;
    let (stdin, stdout, stderr) =
        (started.stdin.take(), started.stdout.take(), started.stderr.take());
    let child = Child::watch(&event_loop, started)?;
    let mut process = Process { stdin: None, stdout: None, stderr: None, child };
    let connected = process.connect(stdin, stdout, stderr);
    if connected.is_err() {
        // This fails only if the program has ended by itself.
        let _ = process.kill();
    }
    connected.map(|()| process)
}

/// Returns a string for errors that names the program and, if the command sets a directory, the
/// directory: the kernel's error can be about either.
fn call(command: &Command) -> String {
    let program = command.get_program().display();
    match command.get_current_dir() {
        Some(directory) => format!("spawn {program} in {}", directory.display()),
        None => format!("spawn {program}"),
    }
}

impl Process {
    fn connect(
        &mut self,
        stdin: Option<ChildStdin>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> Result<()> {
        self.stdin = stdin.map(|pipe| PipeWriter::new(pipe.into())).transpose()?;
        self.stdout = stdout.map(|pipe| PipeReader::new(pipe.into())).transpose()?;
        self.stderr = stderr.map(|pipe| PipeReader::new(pipe.into())).transpose()?;
        Ok(())
    }
}

/// asyncio's return code for a child whose status was fetched by other code in this process.
const UNKNOWN: i32 = 255;

struct Child {
    event_loop: EventLoop,
    pidfd: OwnedFd,
    process: RefCell<process::Child>,
    returncode: Cell<Option<i32>>,
    /// Holds a future for each wait. Even if a wait is given up, `returncode` keeps the status.
    waiters: RefCell<WaitList<i32>>,
}

impl Child {
    /// Begins to watch a process that was started just now. If that fails, kills the process and
    /// fetches its status.
    pub(super) fn watch(event_loop: &EventLoop, mut process: process::Child) -> Result<Rc<Self>> {
        // The status hasn't been fetched, so the process ID still belongs to this process.
        let pidfd = match pidfd_open(process.id()) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = process.kill().and_then(|()| process.wait());
                return Err(error.into());
            }
        };
        let child = Rc::new(Child {
            event_loop: event_loop.clone(),
            pidfd,
            process: RefCell::new(process),
            returncode: Cell::default(),
            waiters: RefCell::default(),
        });
        let watched = Rc::clone(&child);
        event_loop.add_reader(&child.pidfd, move || watched.has_ended())?;
        Ok(child)
    }

    fn pid(&self) -> u32 {
        self.process.borrow().id()
    }

    /// Fetches the status and wakes the tasks that wait.
    fn has_ended(&self) {
        let fetched = self.process.borrow_mut().try_wait();
        let returncode = match fetched {
            // The process hasn't ended: the event was spurious.
            Ok(None) => return,
            Ok(Some(status)) => returncode_of(status),
            Err(error) => self.report_unknown(error),
        };
        self.returncode.set(Some(returncode));
        // This fails only if the descriptor isn't registered, and then there's nothing to remove.
        let _ = self.event_loop.remove_reader(&self.pidfd);
        // The borrow ends here, since a waker can run any code.
        let waiters = self.waiters.borrow_mut().take();
        for waiter in waiters {
            // The future of a given-up wait is already done.
            let _ = waiter.set_result(returncode);
        }
    }

    fn report_unknown(&self, error: io::Error) -> i32 {
        let message = format!(
            "child process pid {} exit status already read:  will report returncode {UNKNOWN}",
            self.pid()
        );
        let error = CallError::wrap(format!("waitpid {}", self.pid()), error);
        let context = ExceptionContext::new(message).with_exception(error.into());
        self.event_loop.call_exception_handler(&context);
        UNKNOWN
    }
}

/// A wait for the end of a process. Dropping this value cancels the wait.
struct WaitForExit(Future<i32>);

impl Drop for WaitForExit {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Returns the exit code, or minus the number of the signal that has killed the process.
fn returncode_of(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| -signal)).unwrap_or(UNKNOWN)
}

/// Kills a child that the loop no longer watches, since the child would otherwise become a zombie
/// when it ends. After the kill, the wait for the child's end is short.
impl Drop for Child {
    fn drop(&mut self) {
        if self.returncode.get().is_none() {
            // Don't wait for a program that we may not kill because it now runs as another user.
            let killed = pidfd_send_signal(&self.pidfd, libc::SIGKILL);
            let _ = killed.and_then(|()| self.process.get_mut().wait());
        }
    }
}
