//! The entries that the heap sorts.

use std::cmp::Ordering;

use crate::Time;

/// A deadline and a sequence number. The payload is kept in `Payloads`, so the entries that a heap
/// moves around stay at 16 bytes.
///
/// ```
/// use std::collections::BinaryHeap;
/// use std::time::Duration;
/// use step04_timers::{Entry, Time};
/// let soon = Entry { when: Time::ZERO + Duration::from_secs(1), sequence: 1 };
/// let late = Entry { when: Time::ZERO + Duration::from_secs(9), sequence: 0 };
/// assert_eq!(BinaryHeap::from([late, soon]).peek(), Some(&soon));
/// ```
// ANCHOR: entry
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The timer's deadline; asyncio's `TimerHandle.when()`.
    pub when: Time,
    /// The number of timers made before this timer. It identifies the timer and orders equal
    /// deadlines.
    pub sequence: u64,
}
// ANCHOR_END: entry

impl Ord for Entry {
    // ANCHOR: cmp
    /// Compares in reverse, because Rust's heap keeps the greatest entry on top: the greater entry
    /// is the one with the earlier deadline or, if the deadlines are equal, the one made earlier.
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
