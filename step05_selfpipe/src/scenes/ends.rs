//! The two ends of the pair.

use std::os::fd::{AsFd, AsRawFd};

use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, check, read, write};
use step05_selfpipe::SelfPipe;

scene!(
    neither_end_blocks,
    "The pair is empty, and the loop reads; it is full, and somebody wakes. Who sleeps?"
);
/// Whoever wakes a loop has better things to do than to wait for it, and the loop that drains must
/// not wait for one byte more. So neither end may block. And a program that we start must not keep
/// our alarm open.
fn neither_end_blocks(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    say!(t, "nothing is in it, the loop reads:  {:?}", read(&pipe, &mut [0])?);
    while write(&waker, &[0])? == Written::Bytes(1) {}
    say!(t, "no room is left, a waker writes:   {:?}", write(&waker, &[0])?);
    while read(&pipe, &mut [0; 4096])? != Read::WouldBlock {}
    say!(t, "all was taken out, a waker writes: {:?}", write(&waker, &[0])?);
    say!(t, "the loop's end survives an exec:   {}", survives_exec(&pipe)?);
    say!(t, "the waker's end survives it:       {}", survives_exec(&waker)?);
    Ok(())
}

fn survives_exec(fd: impl AsFd) -> anyhow::Result<bool> {
    let number = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
    let flags = check(flags, || format!("fcntl F_GETFD fd {number}"))?;
    Ok(flags & libc::FD_CLOEXEC == 0)
}
