//! Making descriptors: pipes and socket pairs, ready for an event loop.
//!
//! Both are made non-blocking and close-on-exec by the call that makes them. To set the flags a
//! moment later would leave a gap in which another thread may start a program, and that program
//! would inherit the descriptor and keep the pipe open behind our back.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::check;

// ANCHOR: pipe
/// Makes a pipe: what is written to the second descriptor can be read from the first.
///
/// Both ends are non-blocking and close-on-exec. See `pipe2(2)`.
///
/// ```
/// let (reader, writer) = step01_fd::pipe()?;
/// step01_fd::write(&writer, b"hello")?;
/// let mut buffer = [0; 16];
/// assert_eq!(step01_fd::read(&reader, &mut buffer)?, step01_fd::Read::Bytes(5));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: `ends` has room for the two numbers that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), flags) };
    check(made, || "pipe2".to_string())?;
    // SAFETY: pipe2 succeeded, so the first number is open and nobody else owns it.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second number.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
}
// ANCHOR_END: pipe

// ANCHOR: pipe_with_capacity
/// Makes a pipe like [`pipe`], with room for `bytes`, rounded up to whole pages.
///
/// The kernel refuses what is more than it can hold (`EINVAL`) or is willing to give (`EPERM`).
/// Then there is no pipe, and no number stays open. See `F_SETPIPE_SZ` in `fcntl(2)`.
pub fn pipe_with_capacity(bytes: u32) -> io::Result<(OwnedFd, OwnedFd)> {
    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let number = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes a number and touches no memory of ours.
    let size = unsafe { libc::fcntl(number, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {number}"))?;
    Ok((reader, writer))
}
// ANCHOR_END: pipe_with_capacity

/// Makes a pair of connected sockets: what is written to one can be read from the other.
///
/// Both are UNIX stream sockets, non-blocking and close-on-exec. See `socketpair(2)`.
pub fn socketpair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: `ends` has room for the two numbers that socketpair writes.
    let made = unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) };
    check(made, || "socketpair".to_string())?;
    // SAFETY: socketpair succeeded, so the first number is open and nobody else owns it.
    let one = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second number.
    let other = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((one, other))
}

// ANCHOR: set_nonblocking
/// Sets or clears `O_NONBLOCK`, for a descriptor that was made by somebody else.
///
/// The flag belongs to the open object, not to the number: whoever shares the object, by `dup(2)`
/// or by inheriting it, sees the change. Take care with standard input and output. See `fcntl(2)`.
pub fn set_nonblocking(fd: impl AsFd, nonblocking: bool) -> io::Result<()> {
    let number = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFL) };
    let flags = check(flags, || format!("fcntl F_GETFL fd {number}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFL takes a number and touches no memory of ours.
    let set = unsafe { libc::fcntl(number, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {number}"))?;
    Ok(())
}
// ANCHOR_END: set_nonblocking
