//! The timers of a loop, nearest deadline first.
//!
//! A binary heap shows its minimum in O(1), inserts an entry or removes the minimum in O(log n),
//! and finds any other entry only by a search through all entries. Many timers are timeouts, and
//! most timeouts are cancelled before they fire, so a search per cancel could be the heap's main
//! cost. So cancelling is lazy: it removes only the payload. The dead entry is dropped once it's at
//! the top, or in a sweep if too many dead entries have piled up.
//!
//! Some docs below say that a cost doesn't grow with the number of timers. With 100 times as many
//! timers, the trials allow 15 times the CPU time, which is more than a heap needs and far less
//! than a search needs.

use std::collections::BinaryHeap;
use std::time::Duration;

use crate::Time;
use crate::entry::Entry;
use crate::payloads::Payloads;

/// A sweep of the heap is worthwhile if the heap has more entries than this and more than half of
/// them are cancelled. A sweep of the payloads is worthwhile if they have more slots than this and
/// more than half are empty. asyncio's `_MIN_SCHEDULED_TIMER_HANDLES` is 100 as well.
const SWEEP_ABOVE: usize = 100;

/// Identifies a timer in a [`TimerHeap`], so that you can cancel the timer. The heap never reuses
/// an id for another timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimerId {
    sequence: u64,
}

/// Timers that fire in the order of their deadlines, nearest first. Timers with equal deadlines
/// fire in the order in which they were made.
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
// ANCHOR: timers
#[derive(Debug)]
pub struct TimerHeap<T> {
    heap: BinaryHeap<Entry>,
    payloads: Payloads<T>,
}
// ANCHOR_END: timers

impl<T> TimerHeap<T> {
    /// Makes an empty heap.
    pub fn new() -> Self {
        TimerHeap { heap: BinaryHeap::new(), payloads: Payloads::new() }
    }

    // ANCHOR: push
    /// Adds a timer that is due at `when`; asyncio's `call_at`.
    pub fn push(&mut self, when: Time, payload: T) -> TimerId {
        let sequence = self.payloads.push(payload);
        self.heap.push(Entry { when, sequence });
        TimerId { sequence }
    }
    // ANCHOR_END: push

    // ANCHOR: cancel
    /// Cancels a timer and returns its payload, or `None` if the timer has already fired or been
    /// cancelled. The timer's entry stays in the heap, and its slot stays among the payloads, so
    /// that the cost doesn't grow with the number of timers; asyncio's `TimerHandle.cancel`.
    pub fn cancel(&mut self, id: TimerId) -> Option<T> {
        self.payloads.take(id.sequence)
    }
    // ANCHOR_END: cancel

    // ANCHOR: next_timeout
    /// Returns the time until the nearest timer is due, to the nanosecond: zero if it's due
    /// already, `None` if there's no timer. Sweeps first if a sweep is worthwhile, even if a timer
    /// is due or no timer is left, then drops the cancelled timers at the top, since they mustn't
    /// wake the loop. Apart from that work, `next_timeout` looks only at the timer at the top.
    ///
    /// Not checked: the sweep comes first. If the dead entries at the top were dropped first, the
    /// heap could become too short for a sweep and keep its memory.
    pub fn next_timeout(&mut self, now: Time) -> Option<Duration> {
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
    }
    // ANCHOR_END: next_timeout

    // ANCHOR: pop_due
    /// Removes the nearest timer and returns its payload if the timer is due, that is, if its
    /// deadline is `now` or earlier. Call `pop_due` until it returns `None`. The cost hardly grows
    /// with the number of timers, and the stack doesn't grow at all, however many cancelled timers
    /// `pop_due` drops first.
    pub fn pop_due(&mut self, now: Time) -> Option<T> {
        self.drop_cancelled_heads();
        if self.heap.peek()?.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
    }
    // ANCHOR_END: pop_due

    /// Returns a mutable reference to a timer's payload, or `None` if the timer has fired or been
    /// cancelled.
    pub fn get_mut(&mut self, id: TimerId) -> Option<&mut T> {
        self.payloads.get_mut(id.sequence)
    }

    /// Returns the deadline and the payload of every timer that isn't cancelled, in no particular
    /// order. This looks at every entry, so use it only for reports.
    ///
    /// ```
    /// use step04_timers::{Time, TimerHeap};
    /// let mut timers = TimerHeap::new();
    /// let cancelled = timers.push(Time::ZERO, "cancelled");
    /// timers.push(Time::ZERO, "due");
    /// timers.cancel(cancelled);
    /// assert!(timers.timers().eq([(Time::ZERO, &"due")]));
    /// ```
    pub fn timers(&self) -> impl Iterator<Item = (Time, &T)> {
        let payload = |entry: &Entry| Some((entry.when, self.payloads.get(entry.sequence)?));
        self.heap.iter().filter_map(payload)
    }

    /// Returns the number of timers, not counting cancelled timers.
    pub fn len(&self) -> usize {
        self.payloads.len()
    }

    /// Returns true if there are no timers, not counting cancelled timers.
    pub fn is_empty(&self) -> bool {
        self.payloads.len() == 0
    }

    /// Returns the number of entries in the heap, including those of cancelled timers that haven't
    /// been dropped.
    pub fn scheduled(&self) -> usize {
        self.heap.len()
    }

    /// Returns the number of slots for payloads, including empty slots of timers that have fired or
    /// been cancelled and haven't been swept.
    pub fn slots(&self) -> usize {
        self.payloads.slots()
    }

    // ANCHOR: sweep
    /// Sweeps each of the two lists if that's worthwhile. If the heap has more than `SWEEP_ABOVE`
    /// entries and more than half of them are cancelled, `sweep` drops the cancelled entries. If
    /// the payloads have more than `SWEEP_ABOVE` slots and more than half of them are empty,
    /// `sweep` drops the empty slots. A swept list also frees its memory, except for room for the
    /// entries that remain. If fewer than `SWEEP_ABOVE` remain, the list keeps room for
    /// `SWEEP_ABOVE` entries or a few more (16 bytes each in the heap). `next_timeout` calls
    /// `sweep`, so a loop doesn't have to; asyncio sweeps in `_run_once`.
    pub fn sweep(&mut self) {
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.payloads.len() {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
            self.heap.shrink_to(SWEEP_ABOVE);
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.payloads.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
    }
    // ANCHOR_END: sweep

    /// Drops the cancelled timers at the top, so that the next timer to fire comes to the top.
    fn drop_cancelled_heads(&mut self) {
        while self.heap.len() > self.payloads.len()
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
