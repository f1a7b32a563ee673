//! The scratch buffer, shared by all connections of a loop that own no buffer, such as asyncio's
//! streams.
//!
//! A connection that's idle owns no buffer. Only one connection reads at a time, so all of them
//! read into the loop's buffer and keep what they need. The buffer is lent for a read and for the
//! use of the bytes.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use crate::event_loop::EventLoop;

/// The size of the buffer: the most that can be read at once. (asyncio: `max_size`)
const SIZE: usize = 256 * 1024;

/// The buffer, while no read has it. The first read makes it, all zeros, and the kernel gives it
/// memory only as far as reads fill it.
#[derive(Default)]
pub(crate) struct ScratchBuffer(Cell<Vec<u8>>);

/// Bytes of the scratch buffer, lent by [`EventLoop::scratch`] and given back by the drop.
///
/// If a read begins in the middle of another read, the second read gets a buffer of its own, which
/// lasts as long as that read. That happens if a protocol that's called with its bytes closes a
/// stream, for example.
pub struct Scratch<'a> {
    buffer: Vec<u8>,
    length: usize,
    home: &'a ScratchBuffer,
}

impl EventLoop {
    /// Lends `length` bytes of the loop's scratch buffer, 256 KiB at most, for a single read.
    ///
    /// The buffer still holds the bytes of previous reads.
    pub fn scratch(&self, length: usize) -> Scratch<'_> {
        let home = &self.core.scratch;
        let mut buffer = home.0.take();
        if buffer.is_empty() {
            buffer = vec![0; SIZE];
        }
        Scratch { buffer, length: length.min(SIZE), home }
    }
}

impl Deref for Scratch<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

impl DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.length]
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.home.0.set(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_in_the_middle_of_another_has_a_buffer_of_its_own() {
        let event_loop = EventLoop::new().unwrap();
        let mut outer = event_loop.scratch(usize::MAX);
        outer[0] = 1;
        let mut inner = event_loop.scratch(64 * 1024);
        inner[0] = 2;
        assert_eq!((outer.len(), inner.len()), (256 * 1024, 64 * 1024));
        drop(inner);
        assert_eq!(outer[0], 1);
        drop(outer);
        assert_eq!(
            event_loop.scratch(1)[0],
            1,
            "the outer one's is kept, since it comes back last"
        );
    }
}
