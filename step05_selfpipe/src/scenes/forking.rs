//! A loop in two processes.

use std::io;
use std::panic::{self, AssertUnwindSafe};

use scene::{Transcript, say, scene};
use step01_fd::check;
use step05_selfpipe::{SIGUSR1, SelfPipe, Signals, raise};

use super::signals::taken;
use super::waking::{is_readable, watch};

/// Makes `call` in a child that fork(2) makes, and waits for its end.
fn in_a_child(call: impl FnOnce() -> io::Result<()>) -> anyhow::Result<()> {
    // SAFETY: this process has one thread, so the child finds no lock held by one that is gone.
    let child = check(unsafe { libc::fork() }, || "fork".to_string())?;
    if child == 0 {
        let done = panic::catch_unwind(AssertUnwindSafe(call)).is_ok_and(|result| result.is_ok());
        // SAFETY: ends the process there and then, and runs nothing of ours.
        unsafe { libc::_exit(i32::from(!done)) };
    }
    let mut status = 0;
    // SAFETY: waitpid writes one int, and `status` is one.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    check(waited, || format!("waitpid {child}"))?;
    anyhow::ensure!(status == 0, "the child ended with status {status}");
    Ok(())
}

scene!(after_fork, "A process with a loop forks. Whose alarm is it now?");
/// The child has the numbers of the same two sockets, so its bytes are in the parent's pipe, and
/// the parent's bytes are its own to take. What stands in memory it has a copy of. The remedy is a
/// pair of its own.
fn after_fork(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;

    in_a_child(|| raise(SIGUSR1))?;
    say!(t, "a signal comes to the child, our alarm is on:      {}", is_readable(&mut selector)?);
    pipe.drain()?;
    say!(t, "and the signals that we find:                      {}", taken(&signals));
    waker.wake();
    say!(t, "somebody wakes us, our alarm is on:                {}", is_readable(&mut selector)?);
    in_a_child(|| pipe.drain().map(drop))?;
    say!(t, "the child drains, our alarm is on:                 {}", is_readable(&mut selector)?);
    in_a_child(|| {
        let own = SelfPipe::new()?;
        own.waker().wake();
        own.drain().map(drop)
    })?;
    say!(t, "the child has a pair of its own, our alarm is on:  {}", is_readable(&mut selector)?);
    Ok(())
}
