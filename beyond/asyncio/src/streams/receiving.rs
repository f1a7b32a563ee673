//! Received bytes that no task has asked for yet.
//!
//! asyncio's loop reads as soon as bytes arrive and feeds the reader. Here the connection receives
//! only when a task calls the reader or the connection is closed. It then receives what has
//! arrived, at most 64 KiB at a time, so a small read gets the same bytes as in asyncio. But most
//! of the bytes that no task asks for stay in the kernel's buffer instead of ours.

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;

use memchr::memchr;
use step01_fd::Read;
use step06_tasks::Result;

use super::stream_connection::StreamConnection;
use crate::recv;

/// The maximum number of bytes to receive at once. It's large enough that a busy stream needs few
/// calls, but small enough that most of the bytes that no task asks for stay in the kernel.
const RECEIVE_SIZE: usize = 64 * 1024;

/// The receiving side of a connection. It isn't a field of the reader, because that would make each
/// move of a reader more expensive.
pub(super) struct Received {
    buffer: RefCell<Buffer>,
    /// The maximum number of bytes in front of a separator.
    limit: Cell<usize>,
    /// True if the end has been received.
    has_ended: Cell<bool>,
    /// True if the buffer has held more than twice the limit. From then on, bytes stay in the
    /// kernel until the buffer is down to the limit or a call waits for more.
    is_full: Cell<bool>,
}

impl Received {
    pub(super) fn new(limit: usize) -> Self {
        Received {
            buffer: RefCell::default(),
            limit: Cell::new(limit),
            has_ended: Cell::new(false),
            is_full: Cell::new(false),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.get()
    }

    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.set(limit);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.get()
    }

    // ANCHOR: end
    /// Records that no more bytes will arrive.
    pub(super) fn end(&self) {
        self.has_ended.set(true);
    }
    // ANCHOR_END: end

    pub(super) fn len(&self) -> usize {
        self.buffer.borrow().len()
    }

    // ANCHOR: append
    /// Appends received bytes; asyncio's `feed_data`.
    fn append(&self, bytes: &[u8]) {
        self.buffer.borrow_mut().extend(bytes);
        self.is_full.set(self.len() > self.limit.get().saturating_mul(2));
    }
    // ANCHOR_END: append

    /// Returns the first position at or after `from` where `separator` begins.
    pub(super) fn find(&self, separator: &[u8], from: usize) -> Option<usize> {
        self.buffer.borrow().find(separator, from)
    }

    pub(super) fn byte_at(&self, place: usize) -> Option<u8> {
        self.buffer.borrow().as_slice().get(place).copied()
    }

    /// Takes up to `count` bytes.
    pub(super) fn take(&self, count: usize) -> Vec<u8> {
        let taken = self.buffer.borrow_mut().take(count);
        if self.len() <= self.limit.get() {
            self.is_full.set(false);
        }
        taken
    }
}

impl StreamConnection {
    /// Waits until the connection has received more bytes or the end of the stream.
    pub(super) async fn receive_more(self: &Rc<Self>) -> Result<()> {
        // A call can need more bytes than the limit; asyncio then resumes the transport.
        self.upper.received.is_full.set(false);
        let had = self.upper.received.len();
        while !self.upper.received.has_ended() && self.upper.received.len() == had {
            self.readable().await?;
            self.error().map_or(Ok(()), Err)?;
            self.receive();
        }
        Ok(())
    }

    // ANCHOR: what_is_there
    /// Receives the bytes that have arrived, until the buffer holds more than twice the limit, like
    /// that of a reader in asyncio, or the socket's turns are used up.
    pub(super) fn receive_what_is_there(self: &Rc<Self>) {
        let received = &self.upper.received;
        while !received.has_ended() && !received.is_full.get() && self.has_news() {
            self.receive();
        }
    }
    // ANCHOR_END: what_is_there

    // ANCHOR: receive
    /// Receives once, without waiting, and keeps the result: bytes, the end or an error.
    ///
    /// - The method asks for as much as the scratch buffer has room for (`calls_of_read`), whatever
    ///   the reader's limit is (`bytes_that_arrive`).
    /// - The socket's note that there may be something to read is cleared as soon as the method
    ///   knows that the kernel has nothing more, but not before. So no task waits for bytes that
    ///   have arrived, and the loop can sleep until more arrive (`bytes_that_arrive`).
    /// - The method doesn't call recv(2) only to learn that there's nothing more (`calls_of_read`).
    /// - An error ends the connection and isn't mistaken for the end (`calls_of_read`).
    /// - Once the connection is lost, the call does nothing (`calls_of_read`).
    /// - The end leaves the writing side alone: the connection stays open, and unsent bytes aren't
    ///   dropped (`bytes_that_arrive`).
    ///
    /// Not checked: the socket's other note, that there may be room to write, stays as it is.
    ///
    /// Not checked: on a Unix socket, the kernel ends a receive after bytes that came with a
    /// descriptor. The bytes behind those are received, too, because `note_short_read` asks whether
    /// there are more. On TCP it doesn't, and bytes behind urgent data wait for the next event.
    ///
    /// Free: which buffer receives the bytes, although the loop's own buffer saves memory. Also
    /// free: whether the end or an error clears the note, because nothing is read after either of
    /// them, and whether the method asks the kernel, without recv(2), if bytes are left after a
    /// receive that has filled the buffer.
    fn receive(self: &Rc<Self>) {
        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        match recv(socket, &mut scratch) {
            Ok(Read::Bytes(count)) => {
                self.upper.received.append(&scratch[..count]);
                if count < scratch.len() {
                    socket.note_short_read();
                }
            }
            Ok(Read::WouldBlock) => socket.clear_readable(),
            Ok(Read::End) => self.upper.received.end(),
            Err(error) => self.fail(error.into()),
        }
    }
    // ANCHOR_END: receive
}

/// Bytes in the order in which they arrived. They're taken from the front, and taking the last byte
/// releases the memory.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// The number of bytes at the front that have been taken.
    taken: usize,
}

impl Buffer {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        // Taken bytes are removed once they're the larger part, so that a byte is moved once on
        // average.
        if self.taken > self.len() {
            self.bytes.drain(..mem::take(&mut self.taken));
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes up to `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        if count >= self.len() {
            let mut all = mem::take(self);
            all.bytes.drain(..all.taken);
            return all.bytes;
        }
        let taken = self.as_slice()[..count].to_vec();
        self.taken += count;
        taken
    }

    /// Returns the first position at or after `from` where `separator` begins.
    pub(super) fn find(&self, separator: &[u8], from: usize) -> Option<usize> {
        let (first, bytes) = (*separator.first()?, self.as_slice());
        let mut at = from;
        loop {
            at += memchr(first, bytes.get(at..)?)?;
            if bytes[at..].starts_with(separator) {
                return Some(at);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: &[u8]) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.extend(bytes);
        buffer
    }

    #[test]
    fn bytes_come_out_in_order_however_they_are_taken() {
        let mut buffer = buffer(b"hello ");
        assert_eq!(buffer.take(4), b"hell");
        buffer.extend(b"world");
        buffer.extend(b"!");
        assert_eq!((buffer.len(), buffer.take(3)), (8, b"o w".to_vec()));
        assert_eq!(buffer.take(100), b"orld!");
        assert_eq!(buffer.len(), 0);
    }

    #[test]
    fn an_empty_buffer_owns_no_memory() {
        let mut buffer = buffer(&[7; 1000]);
        buffer.take(999);
        buffer.take(1);
        assert_eq!(buffer.bytes.capacity(), 0);
    }

    #[test]
    fn what_has_been_taken_does_not_pile_up() {
        // The rest is always larger, or always smaller, than the bytes taken with the last call.
        for left in [101, 99] {
            let mut buffer = buffer(&vec![7; left + 900]);
            buffer.take(900);
            for _ in 0..1000 {
                buffer.extend(&[7; 100]);
                assert_eq!(buffer.take(100).len(), 100);
            }
            assert_eq!(buffer.len(), left);
            assert!(buffer.bytes.capacity() < 3000, "{}", buffer.bytes.capacity());
        }
    }

    #[test]
    fn a_separator_is_found_wherever_it_begins() {
        let mut buffer = buffer(b"xaab-aab");
        buffer.take(1);
        assert_eq!(buffer.find(b"aab", 0), Some(0));
        assert_eq!(buffer.find(b"aab", 1), Some(4));
        assert_eq!(buffer.find(b"ab", 0), Some(1));
        assert_eq!(buffer.find(b"aab", 5), None);
        assert_eq!(buffer.find(b"b", 99), None);
    }
}
