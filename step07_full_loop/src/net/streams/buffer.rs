//! Received bytes that nobody has asked for yet.

use std::mem;

use memchr::memchr;

/// Bytes in order. They're taken from the front, and the memory is given back with the last one.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// How many at the front have been taken.
    taken: usize,
}

impl Buffer {
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        // What has been taken is moved away once it's the larger part, so that a byte is moved once
        // on average.
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

    /// Returns where `separator` begins, if that isn't before `from`.
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
        // What's left is always more than what was taken with the last call, or always less.
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
