//! A write buffer for a non-blocking descriptor.
//!
//! A non-blocking write takes at most as many bytes as there's room for and leaves the rest to the
//! caller.
//! A loop keeps that rest in one buffer per receiver and writes it when the receiver can take more.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;

use crate::{Written, write};

/// The bytes that haven't been written to one receiver yet, oldest first.
///
/// An outbox has no limit, so callers have to watch [`len`](Outbox::len) and stop pushing in time.
///
/// ```
/// let (reader, writer) = step01_fd::pipe()?;
/// let mut outbox = step01_fd::Outbox::new();
/// outbox.push(b"hello");
/// assert!(outbox.flush(&writer)?);
/// assert_eq!(step01_fd::read(&reader, &mut [0; 16])?, step01_fd::Read::Bytes(5));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
// ANCHOR: outbox
pub struct Outbox {
    unsent: VecDeque<u8>,
}
// ANCHOR_END: outbox

impl Outbox {
    /// Makes an empty outbox. It allocates nothing until it's used.
    pub fn new() -> Self {
        Outbox::default()
    }

    /// Returns the number of unsent bytes.
    pub fn len(&self) -> usize {
        self.unsent.len()
    }

    /// Returns true if no bytes are unsent.
    pub fn is_empty(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Appends bytes to the unsent bytes. Writes nothing yet.
    pub fn push(&mut self, bytes: &[u8]) {
        self.unsent.extend(bytes);
    }

    /// Writes the unsent bytes, then `bytes`, and keeps the bytes that `fd` doesn't take. Returns
    /// true if everything is written.
    ///
    /// If the outbox is empty and `fd` takes all of `bytes`, this makes one call of [`write()`] and
    /// copies nothing into the outbox. A receiver that keeps up never costs more than that.
    ///
    /// # Errors
    ///
    /// Fails as [`write()`] does. After an error, `bytes` are kept only if other bytes were unsent
    /// before.
    pub fn send(&mut self, fd: impl AsFd, bytes: &[u8]) -> io::Result<bool> {
        if !self.is_empty() {
            self.push(bytes);
            return self.flush(fd);
        }
        let taken = match write(fd, bytes)? {
            Written::Bytes(count) => count,
            Written::WouldBlock => 0,
        };
        self.push(&bytes[taken..]);
        Ok(self.is_empty())
    }

    // ANCHOR: flush
    /// Writes the unsent bytes, oldest first, until none are left or a write would block. Returns
    /// true if none are left.
    ///
    /// The outbox drops the bytes that were written and keeps the others, even after an error.
    ///
    /// If the receiver makes no room meanwhile, this makes at most three calls of [`write()`]: one
    /// for each of the ring buffer's two pieces, and one that reports that the rest would block. If
    /// no bytes are unsent, it makes no call, and it never makes any other system call. Don't copy
    /// the bytes that stay unsent: the cost of a flush mustn't grow with their number.
    ///
    /// Free: whether you offer both pieces at once with writev(2) instead.
    ///
    /// # Errors
    ///
    /// Fails as [`write()`] does.
    pub fn flush(&mut self, fd: impl AsFd) -> io::Result<bool> {
        while !self.is_empty() {
            // A ring buffer is up to two pieces of memory. If only one has bytes, it's the first.
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
    }
    // ANCHOR_END: flush
}
