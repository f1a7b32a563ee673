//! Whether a task is in the queue: a flag that its wakers, on any thread, share with its steps.
//!
//! It keeps a task from being queued twice, and must not lose a wake-up: a waker that finds the task
//! queued leaves its wake-up to the step that follows, so that step has to see what the waker's
//! thread has published before.

use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct QueuedFlag(AtomicBool);

impl QueuedFlag {
    /// Makes the flag of a task that's in the queue for its first step.
    pub(crate) fn of_a_queued_task() -> Self {
        QueuedFlag(AtomicBool::new(true))
    }

    /// Notes a wake-up. Returns true if the caller has to queue the task, and false if it's queued
    /// already.
    pub(crate) fn set(&self) -> bool {
        // Release publishes what the caller did before, for the step that finds `true` to take over.
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Begins a step: from here on the task can be queued again.
    pub(crate) fn clear(&self) {
        // A swap, not a store. A waker on another thread that still finds `true` leaves the wake-up
        // to this step, so the poll must see what that thread published. Acquire guarantees that,
        // for the operation that reads the `true`; a store reads nothing, and could even be delayed
        // past the poll's reads.
        self.0.swap(false, Ordering::AcqRel);
    }
}
