//! A process, as a task uses it.

use std::fmt;
use std::io;
use std::rc::Rc;

use step06_tasks::Result;

use super::child::Child;
use super::{PipeReader, PipeWriter};

/// A program that was started by [`create_subprocess`](crate::create_subprocess); asyncio's `Process`.
///
/// Dropping it closes the pipes, and the program runs on; the loop fetches its status when it ends, so
/// it never stays as a zombie. If the loop is closed before that, the program is killed.
pub struct Process {
    /// Its input, if that's a pipe. `stdin.take()` closes it, and the program reads the end.
    pub stdin: Option<PipeWriter>,
    /// Its output, if that's a pipe.
    pub stdout: Option<PipeReader>,
    /// Its error output, if that's a pipe.
    pub stderr: Option<PipeReader>,
    pub(super) child: Rc<Child>,
}

impl Process {
    /// Returns its number. Once it has ended, another process can get the same one, so don't send
    /// signals there: use [`send_signal`](Process::send_signal).
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Returns its exit code, or, as a negative number, the signal that has ended it. Returns `None`
    /// until the loop has fetched that.
    pub fn returncode(&self) -> Option<i32> {
        self.child.returncode()
    }

    /// Waits until it ends, and returns its [`returncode`](Process::returncode). Any number of tasks
    /// can wait, and a wait that's cancelled or dropped loses nothing.
    ///
    /// If its output is a pipe that nothing reads, it may wait for room there, and never end: see
    /// [`communicate`](Process::communicate). What it has started itself isn't waited for. (CPython up
    /// to 3.13.0 mostly waits for that as well, as long as it has the same pipes.)
    pub async fn wait(&self) -> Result<i32> {
        self.child.wait().await
    }

    /// Sends it a signal. If it has ended, that's an error (`ESRCH`; in asyncio, a
    /// `ProcessLookupError`), or, until the loop has noticed, no error and no signal. Another process
    /// is never hit.
    pub fn send_signal(&self, signal: i32) -> io::Result<()> {
        self.child.send_signal(signal)
    }

    /// Asks it to end, by SIGTERM.
    pub fn terminate(&self) -> io::Result<()> {
        self.send_signal(libc::SIGTERM)
    }

    /// Ends it, by SIGKILL.
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
