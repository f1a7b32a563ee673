//! Makes pipes and prepares any descriptor for an event loop.
//!
//! The call that makes a pipe also makes both ends non-blocking and close-on-exec. Setting
//! close-on-exec a moment later would leave a gap in which another thread could start a program
//! that inherits the descriptors.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::check;

// ANCHOR: pipe
/// Makes a pipe and returns its reading end and its writing end, in that order.
///
/// Both ends are non-blocking and close-on-exec from the moment they exist, and no other flag is
/// set. `pipe` makes a single system call: see `pipe2(2)`.
///
/// # Errors
///
/// Fails with the kernel's error. Like every [`CallError`](crate::CallError), the error names its
/// call.
///
/// # Examples
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
    // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), flags) };
    check(made, || "pipe2".to_string())?;
    // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
}
// ANCHOR_END: pipe

// ANCHOR: pipe_with_capacity
/// Makes a pipe as [`pipe`] does, but with room for `bytes` bytes, rounded up to a power of two and
/// to at least one page. So the pipe can be smaller than a pipe of the default size. That size
/// isn't the same for all pipes: an unprivileged user who already has many gets smaller pipes. See
/// `F_SETPIPE_SZ` in `fcntl(2)`.
///
/// # Errors
///
/// Fails with `InvalidInput` (`EINVAL`) if no pipe can be that large, and with `PermissionDenied`
/// (`EPERM`) if this process is unprivileged and the pipe, or all pipes of its user together, would
/// exceed a limit of `pipe(7)`. Any other error of the kernel is returned, too. Every error names
/// its call, and after an error neither end stays open.
pub fn pipe_with_capacity(bytes: u32) -> io::Result<(OwnedFd, OwnedFd)> {
    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
    Ok((reader, writer))
}
// ANCHOR_END: pipe_with_capacity

// ANCHOR: set_nonblocking
/// Sets or clears `O_NONBLOCK` on a descriptor that other code has made, such as that of std's
/// `TcpListener`.
///
/// All other flags stay as they are. See `fcntl(2)`.
///
/// Take care with a descriptor that came from another process, such as standard input: the flag
/// belongs to the open object, and other programs may share that object.
///
/// # Errors
///
/// Fails with the kernel's error, which names the refused call. After an error the flags are
/// unchanged, and this function makes no further call.
pub fn set_nonblocking(fd: impl AsFd, nonblocking: bool) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let flags = check(flags, || format!("fcntl F_GETFL fd {fd}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {fd}"))?;
    Ok(())
}
// ANCHOR_END: set_nonblocking
