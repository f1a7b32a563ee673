//! What the heap sorts.

use std::cmp::Ordering;

use crate::Time;

/// When a timer is due, and which one it is. What it is for stands elsewhere: a heap moves its
/// entries about, so they are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) when: Time,
    /// Counts the timers ever made, so that equal deadlines keep their order.
    pub(crate) sequence: u64,
}

impl Ord for Entry {
    // ANCHOR: cmp
    /// Rust's heap keeps the greatest on top, so the timer that comes first is the greatest: the
    /// one with the earlier deadline, and of equal deadlines the one that was made earlier.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_deadline = other.when.cmp(&self.when);
        by_deadline.then(other.sequence.cmp(&self.sequence))
    }
    // ANCHOR_END: cmp
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
