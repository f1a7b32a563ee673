//! The deadlines of a loop, nearest first.
//!
//! A binary heap finds the nearest at once and takes in a new one in a few steps, but it cannot
//! find one in its middle. So cancelling only takes away what the timer is for; its entry stays in
//! the heap, and whoever meets it at the top throws it away. If such entries pile up they are all
//! swept out together.

use std::collections::BinaryHeap;
use std::time::Duration;

use crate::Time;
use crate::entry::Entry;
use crate::payloads::Payloads;

/// asyncio's rule for a sweep: more than this many entries, and more than half of them cancelled.
const SWEEP_ABOVE: usize = 100;

/// Names a timer of a [`TimerHeap`], to cancel it by. Never names another timer later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimerId {
    sequence: u64,
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
    payloads: Payloads<T>,
}

impl<T> TimerHeap<T> {
    /// No timers.
    pub fn new() -> Self {
        TimerHeap { heap: BinaryHeap::new(), payloads: Payloads::new() }
    }

    // ANCHOR: push
    /// Adds a timer that is due at `when`. (asyncio: `call_at`)
    pub fn push(&mut self, when: Time, value: T) -> TimerId {
        let sequence = self.payloads.push(value);
        self.heap.push(Entry { when, sequence });
        TimerId { sequence }
    }
    // ANCHOR_END: push

    // ANCHOR: cancel
    /// Cancels a timer and returns what it was for; nothing if it has fired or was cancelled
    /// before. The heap is not touched. (asyncio: `TimerHandle.cancel`)
    pub fn cancel(&mut self, id: TimerId) -> Option<T> {
        self.payloads.take(id.sequence)
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
        self.payloads.take(entry.sequence)
    }
    // ANCHOR_END: pop_due

    /// How many timers are waiting, without the cancelled ones.
    pub fn len(&self) -> usize {
        self.payloads.len()
    }

    /// Whether no timer is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries the heap holds, cancelled ones and all.
    pub fn scheduled(&self) -> usize {
        self.heap.len()
    }

    // ANCHOR: sweep
    /// Throws away all cancelled timers, if there are enough of them to be worth it: whoever sweeps
    /// looks at all. `next_timeout` does this, so a loop need not. (asyncio: in `_run_once`)
    pub fn sweep(&mut self) {
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
            self.heap.shrink_to(SWEEP_ABOVE);
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
    }
    // ANCHOR_END: sweep

    /// Throws away the cancelled timers at the top, so that the top is a timer that will fire.
    fn drop_cancelled_heads(&mut self) {
        while self.scheduled() > self.len()
            && let Some(nearest) = self.heap.peek()
            && !self.payloads.contains(nearest.sequence)
        {
            self.heap.pop();
        }
    }
}

impl<T> Default for TimerHeap<T> {
    fn default() -> Self {
        TimerHeap::new()
    }
}
