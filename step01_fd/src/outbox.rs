//! What is to be written and could not be yet.
//!
//! A non-blocking write takes what there is room for, and the rest stays with the writer. A loop
//! keeps it in a buffer per receiver, and goes on when the receiver can take more.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;

use crate::{Written, write};

/// Bytes on their way to one receiver, in order.
///
/// It grows without a limit: whoever fills it has to look at [`len`](Outbox::len), and to stop.
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
pub struct Outbox {
    unsent: VecDeque<u8>,
}

impl Outbox {
    /// An empty one; it allocates nothing before it is used.
    pub fn new() -> Self {
        Outbox::default()
    }

    /// How many bytes wait.
    pub fn len(&self) -> usize {
        self.unsent.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Puts bytes behind those that wait. Nothing is written yet.
    pub fn push(&mut self, bytes: &[u8]) {
        self.unsent.extend(bytes);
    }

    /// Writes `bytes`, behind what waits, and keeps what `fd` doesn't take. Returns true if
    /// everything is written.
    ///
    /// With an empty outbox this is one write(2) and no copy, which is all that a receiver that
    /// keeps up ever costs. Fails as [`write()`] does.
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
    /// Writes what waits, the oldest first, until nothing waits or `fd` takes no more now. Tells
    /// whether all is out.
    ///
    /// What was not taken stays, and so it does after an error.
    pub fn flush(&mut self, fd: impl AsFd) -> io::Result<bool> {
        while !self.is_empty() {
            // A ring buffer lies in up to two pieces of memory; the first is never the empty one.
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
