//! The deadlines of a loop, nearest first.
//!
//! A binary heap finds the nearest at once and takes in a new one in a few steps, but it cannot
//! find one in its middle. So cancelling only marks a timer, and whoever meets the mark at the top
//! throws it away. If marks pile up they are all swept out together.
//!
//! What a timer is for stands in a slot beside the heap. The heap's own entries stay small, and
//! [`TimerHeap::cancel`] finds the slot without a search.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::Time;

/// asyncio's rule for a sweep: more than this many entries, and more than half of them cancelled.
const SWEEP_ABOVE: usize = 100;

/// Names a timer of a [`TimerHeap`], to cancel it by. Never names another timer later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimerId {
    sequence: u64,
    slot: usize,
}

/// What the heap sorts: when, then which was made first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    when: Time,
    /// Counts the timers ever made, so that equal deadlines keep their order.
    sequence: u64,
    slot: usize,
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

/// A place for what a timer is for. It belongs to one entry of the heap until that is thrown away.
#[derive(Debug)]
struct Slot<T> {
    sequence: u64,
    /// Gone once the timer is cancelled.
    value: Option<T>,
}

/// Timers, nearest first; equal deadlines in the order they were made.
///
/// ```
/// use std::time::Duration;
/// use step04_timers::{Time, TimerHeap};
/// let mut timers = TimerHeap::new();
/// let second = Duration::from_secs(1);
/// timers.push(Time::ZERO + 2 * second, "later");
/// let sooner = timers.push(Time::ZERO + second, "sooner");
/// assert_eq!(timers.next_timeout(Time::ZERO), Some(second));
/// assert_eq!(timers.cancel(sooner), Some("sooner"));
/// assert_eq!(timers.pop_due(Time::ZERO + second), None);
/// assert_eq!(timers.pop_due(Time::ZERO + 2 * second), Some("later"));
/// ```
#[derive(Debug)]
pub struct TimerHeap<T> {
    heap: BinaryHeap<Entry>,
    slots: Vec<Slot<T>>,
    /// Slots that no entry of the heap belongs to.
    free: Vec<usize>,
    /// How many entries of the heap are cancelled.
    cancelled: usize,
    next_sequence: u64,
}

impl<T> TimerHeap<T> {
    /// No timers.
    pub fn new() -> Self {
        TimerHeap {
            heap: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            cancelled: 0,
            next_sequence: 0,
        }
    }

    /// Adds a timer that is due at `when`. (asyncio: `call_at`)
    pub fn push(&mut self, when: Time, value: T) -> TimerId {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let slot = self.take_slot(Slot { sequence, value: Some(value) });
        self.heap.push(Entry { when, sequence, slot });
        TimerId { sequence, slot }
    }

    // ANCHOR: cancel
    /// Cancels a timer and returns what it was for; nothing if it has fired or was cancelled
    /// before. Costs the same for any number of timers. (asyncio: `TimerHandle.cancel`)
    pub fn cancel(&mut self, id: TimerId) -> Option<T> {
        let slot = self.slots.get_mut(id.slot)?;
        if slot.sequence != id.sequence {
            return None;
        }
        let value = slot.value.take()?;
        self.cancelled += 1;
        Some(value)
    }
    // ANCHOR_END: cancel

    // ANCHOR: next_timeout
    /// How long until the nearest timer is due: zero if one is due already, nothing if there is
    /// none. Throws cancelled timers away on the way.
    pub fn next_timeout(&mut self, now: Time) -> Option<Duration> {
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
    }
    // ANCHOR_END: next_timeout

    // ANCHOR: pop_due
    /// Takes out the nearest timer if it is due. Call it until it returns nothing.
    pub fn pop_due(&mut self, now: Time) -> Option<T> {
        self.drop_cancelled_heads();
        if self.heap.peek()?.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.free_slot(entry)
    }
    // ANCHOR_END: pop_due

    /// How many timers are waiting, without the cancelled ones.
    pub fn len(&self) -> usize {
        self.heap.len() - self.cancelled
    }

    /// Whether no timer is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries the heap holds, cancelled ones and all.
    pub fn scheduled(&self) -> usize {
        self.heap.len()
    }

    /// Throws away the cancelled timers at the top, so that the top is a timer that will fire.
    fn drop_cancelled_heads(&mut self) {
        while let Some(entry) = self.heap.peek().copied() {
            if self.is_live(entry) {
                return;
            }
            self.heap.pop();
            self.cancelled -= 1;
            self.free_slot(entry);
        }
    }

    /// Throws away all cancelled timers, if there are enough of them to be worth it.
    fn sweep(&mut self) {
        if self.heap.len() <= SWEEP_ABOVE || self.cancelled * 2 <= self.heap.len() {
            return;
        }
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.retain(|&entry| {
            let live = self.is_live(entry);
            if !live {
                self.free_slot(entry);
            }
            live
        });
        self.heap = entries.into();
        self.cancelled = 0;
    }

    fn is_live(&self, entry: Entry) -> bool {
        self.slots[entry.slot].value.is_some()
    }

    fn take_slot(&mut self, slot: Slot<T>) -> usize {
        if let Some(place) = self.free.pop() {
            self.slots[place] = slot;
            return place;
        }
        self.slots.push(slot);
        self.slots.len() - 1
    }

    /// Gives the slot of an entry back that has left the heap, and returns what was in it.
    fn free_slot(&mut self, entry: Entry) -> Option<T> {
        self.free.push(entry.slot);
        self.slots[entry.slot].value.take()
    }
}

impl<T> Default for TimerHeap<T> {
    fn default() -> Self {
        TimerHeap::new()
    }
}
