//! A self-pipe that two processes share.

use std::io;
use std::panic::{self, AssertUnwindSafe};

use scene::{Transcript, say, scene};
use step01_fd::check;
use step05_selfpipe::{SIGUSR1, SelfPipe, Signals, raise};

use super::signals::taken;
use super::waking::{readiness, watch};

/// Makes `call` in a child process and waits until the child has ended.
fn in_a_child(call: impl FnOnce() -> io::Result<()>) -> anyhow::Result<()> {
    // SAFETY: this process has one thread, so the child inherits no lock that another thread holds.
    let child = check(unsafe { libc::fork() }, || "fork".to_string())?;
    if child == 0 {
        let done = panic::catch_unwind(AssertUnwindSafe(call)).is_ok_and(|result| result.is_ok());
        // SAFETY: _exit ends the process at once and runs no code of ours.
        unsafe { libc::_exit(i32::from(!done)) };
    }
    let mut status = 0;
    // SAFETY: waitpid writes one int, and `status` is one.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    check(waited, || format!("waitpid {child}"))?;
    anyhow::ensure!(status == 0, "the child ended with status {status}");
    Ok(())
}

scene!(
    after_fork,
    "A process with a loop forks, and the child gets a signal. Does that wake the parent's loop?"
);
/// One child gets a signal, the next one drains the pipe after a wake of the parent, and the last
/// one makes a pair of its own. After each step the scene checks whether the parent's pipe is
/// readable.
fn after_fork(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;

    in_a_child(|| raise(SIGUSR1))?;
    say!(t, "the child gets a signal:   the parent's pipe is {}", readiness(&mut selector)?);
    pipe.drain()?;
    say!(t, "  the parent takes:        {}", taken(&signals));
    waker.wake();
    say!(t, "the parent is woken:       the parent's pipe is {}", readiness(&mut selector)?);
    in_a_child(|| pipe.drain().map(drop))?;
    say!(t, "the child drains:          the parent's pipe is {}", readiness(&mut selector)?);
    in_a_child(|| {
        let own = SelfPipe::new()?;
        own.waker().wake();
        own.drain().map(drop)
    })?;
    say!(t, "child wakes its new pipe:  the parent's pipe is {}", readiness(&mut selector)?);
    Ok(())
}
