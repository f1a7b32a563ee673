//! The flags of the pair's two ends.

use std::os::fd::{AsFd, AsRawFd};

use scene::{Transcript, say, scene};
use step01_fd::{Read, Written, check, read, write};
use step05_selfpipe::SelfPipe;

scene!(
    both_ends_of_a_pair,
    "An empty pair is read, and a full one is written to. Does either call block?"
);
/// `full, write to the waker's end:      WouldBlock`: both ends are non-blocking. If the loop's end
/// blocked, the last read of a drain would put the loop to sleep. If the waker's end blocked, a
/// thread that finds the pair full would sleep in its wake until the loop reads. Both ends are also
/// `closed` after `execve`, because the new program would otherwise inherit a useless pair.
fn both_ends_of_a_pair(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    say!(t, "empty, read from the loop's end:     {:?}", read(&pipe, &mut [0])?);
    while write(&waker, &[0])? == Written::Bytes(1) {}
    say!(t, "full, write to the waker's end:      {:?}", write(&waker, &[0])?);
    while read(&pipe, &mut [0; 4096])? != Read::WouldBlock {}
    say!(t, "emptied, write to the waker's end:   {:?}", write(&waker, &[0])?);
    say!(t, "after execve, the loop's end:        {}", on_exec(&pipe)?);
    say!(t, "after execve, the waker's end:       {}", on_exec(&waker)?);
    Ok(())
}

/// Says what execve does with a descriptor.
fn on_exec(fd: impl AsFd) -> anyhow::Result<&'static str> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    let flags = check(flags, || format!("fcntl F_GETFD fd {fd}"))?;
    Ok(if flags & libc::FD_CLOEXEC == 0 { "inherited" } else { "closed" })
}
