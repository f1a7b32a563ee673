//! Reading and writing without ever sleeping.
//!
//! `read(2)` returns a single integer for four outcomes: bytes, the end, "not now", and an error. An
//! event loop acts differently on each, so here each is a variant of its own. The fifth outcome, a
//! signal that interrupted the call (`EINTR`), is handled here by calling again.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::CallError;

/// The outcome of a [`read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// This many bytes are in the buffer. Zero only if the buffer has no room at all.
    Bytes(usize),
    /// Nothing has arrived yet; more can follow.
    WouldBlock,
    /// Everything has been read and nothing will follow: the other side has closed its end.
    End,
}

/// The outcome of a [`write()`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The kernel took this many bytes. If that's fewer than you offered (a short write), keep the
    /// rest. Zero only if you offered none.
    Bytes(usize),
    /// There's no room now.
    WouldBlock,
}

// ANCHOR: read
/// Reads what has arrived, as much as `buffer` holds, from a non-blocking descriptor.
///
/// On a blocking descriptor it sleeps until something arrives. See `read(2)`.
pub fn read(fd: impl AsFd, buffer: &mut [u8]) -> io::Result<Read> {
    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
        let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(0) if !buffer.is_empty() => return Ok(Read::End),
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!("read fd {fd}"), error)),
        }
    }
}
// ANCHOR_END: read

// ANCHOR: write
/// Writes as much of `bytes` as there's room for to a non-blocking descriptor.
///
/// Fails with `BrokenPipe` (`EPIPE`) if the reading end is closed. The kernel then also sends
/// SIGPIPE, which ends a process that doesn't ignore it; Rust programs ignore it from the start.
/// See `write(2)`.
pub fn write(fd: impl AsFd, bytes: &[u8]) -> io::Result<Written> {
    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
}
// ANCHOR_END: write
