//! Reading and writing without ever sleeping.
//!
//! `read(2)` gives one number back and means four things by it: so many bytes, the end, not now,
//! and an error. An event loop does something else for each of them, so here they are apart. The
//! fifth thing, "a signal came, ask again" (`EINTR`), is nobody's business but ours.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::CallError;

/// What a [`read`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// This many bytes are in the buffer. Zero only if the buffer has no room at all.
    Bytes(usize),
    /// Nothing is there now, but something may come.
    WouldBlock,
    /// Nothing is there and nothing will come: the other side has closed its end.
    End,
}

/// What a [`write()`] achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The kernel took this many bytes: perhaps fewer than were offered, and the rest is yours to
    /// keep. Zero only if none were offered.
    Bytes(usize),
    /// There is no room now.
    WouldBlock,
}

// ANCHOR: read
/// Reads what is there, as much as `buffer` holds, from a non-blocking descriptor.
///
/// On a descriptor that blocks it sleeps until something comes. See `read(2)`.
pub fn read(fd: impl AsFd, buffer: &mut [u8]) -> io::Result<Read> {
    let number = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
        let count = unsafe { libc::read(number, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(0) if !buffer.is_empty() => return Ok(Read::End),
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!("read fd {number}"), error)),
        }
    }
}
// ANCHOR_END: read

// ANCHOR: write
/// Writes as much of `bytes` as there is room for, to a non-blocking descriptor.
///
/// If nobody can read it any more the error is `BrokenPipe`. The kernel also sends SIGPIPE then,
/// which ends a process that does not ignore it; every Rust program ignores it from its start.
/// See `write(2)`.
pub fn write(fd: impl AsFd, bytes: &[u8]) -> io::Result<Written> {
    let number = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
        let count = unsafe { libc::write(number, bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {number}"), error)),
        }
    }
}
// ANCHOR_END: write
