//! What the heap sorts.

use std::cmp::Ordering;

use crate::Time;

/// When a timer is due, and which one it is. What it is for stands elsewhere: a heap moves its
/// entries about, so they are small.
///
/// ```
/// use std::collections::BinaryHeap;
/// use std::time::Duration;
/// use step04_timers::{Entry, Time};
/// let soon = Entry { when: Time::ZERO + Duration::from_secs(1), sequence: 1 };
/// let late = Entry { when: Time::ZERO + Duration::from_secs(9), sequence: 0 };
/// assert_eq!(BinaryHeap::from([late, soon]).peek(), Some(&soon));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// When it is due. (asyncio: `TimerHandle.when()`)
    pub when: Time,
    /// Counts the timers ever made, so that equal deadlines keep their order.
    pub sequence: u64,
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
