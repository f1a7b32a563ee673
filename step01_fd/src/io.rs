//! Reads and writes non-blocking descriptors without sleeping.
//!
//! `read(2)` returns a single integer, which together with `errno` can mean five things. Three of
//! them are variants of [`Read`]: bytes, "would block" and the end. An error becomes an `Err`, and
//! [`read`] repeats a call that a signal has interrupted (`EINTR`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::CallError;

// ANCHOR: outcome_of_read
/// The outcome of a [`read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// The kernel put this many bytes into the buffer. `Bytes(0)` only means that the buffer has no
    /// room: the stream may or may not have ended.
    Bytes(usize),
    /// There's nothing to read now, but bytes can still arrive.
    WouldBlock,
    /// Everything has been read. Nothing more will arrive from a pipe or a stream socket: no writer
    /// is left, or the peer has closed or shut down its side. But a file can still grow, and a FIFO
    /// can get a new writer. A read of an empty datagram also returns `End`.
    End,
}
// ANCHOR_END: outcome_of_read

// ANCHOR: outcome_of_write
/// The outcome of a [`write()`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The kernel took this many bytes. If that's fewer than you offered (a short write), keep the
    /// rest. The number is zero only if you offered no bytes.
    Bytes(usize),
    /// The kernel took no bytes, because there's no room now. `pipe(7)` says when a pipe has room
    /// for a write.
    WouldBlock,
}
// ANCHOR_END: outcome_of_write

// ANCHOR: read
/// Reads the bytes that have arrived at a non-blocking descriptor, as many as fit into `buffer`.
/// The rest of `buffer` stays as it was.
///
/// This costs one call of `read(2)`, plus one for each signal that interrupts the call. If `buffer`
/// is empty, you may skip the call, whatever the call would report. On a blocking descriptor,
/// `read` sleeps until bytes arrive or the stream ends.
///
/// # Errors
///
/// Fails with any error of the kernel except `EAGAIN` and `EINTR`. The error names its call
/// ([`CallError`]).
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
/// Writes `bytes` to a non-blocking descriptor, or as many of them as the kernel takes now.
///
/// This costs one call of `write(2)`, even if the kernel doesn't take everything, plus one for each
/// signal that interrupts the call before the kernel has taken a byte. An empty slice goes to the
/// kernel, too, because a datagram socket sends it as a message. On a blocking descriptor, `write`
/// sleeps until there's room.
///
/// # Errors
///
/// Fails with `BrokenPipe` (`EPIPE`) if the pipe's reading end is closed or if the kernel knows
/// that the socket can send no more and has no other error to report, such as `ECONNRESET`. The
/// kernel then also sends SIGPIPE, which by default ends the process; Rust's runtime makes a
/// program ignore SIGPIPE before `main` begins. Any other error of the kernel is returned, too,
/// such as `ENOSPC` if the disk is full. Every error names its call ([`CallError`]).
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
