//! A waker that stays on its queue's thread.
//!
//! A [`Waker`] can be sent to any thread, so it's a block of its own with atomic counters. What a
//! loop keeps for itself, a timer or the readiness of a descriptor, never leaves the loop's thread:
//! for that, the task's id is enough, and a task that only waits for such things needs no waker of
//! its own.

use std::task::{Context, Waker};

use crate::tasks::TaskId;
use crate::{ReadyQueue, current_task};

/// Wakes what was polled with a context, on the same thread. (Rust's std has one that isn't stable
/// yet: `std::task::LocalWaker`.)
#[derive(Debug, Clone)]
pub struct LocalWaker {
    wakes: Wakes,
}

#[derive(Debug, Clone)]
enum Wakes {
    Task(ReadyQueue, TaskId),
    /// Whatever isn't polled by the current task itself. A `select`, for example, can hand those that
    /// it polls a waker of its own.
    Other(Waker),
}

impl LocalWaker {
    /// Returns a waker for what is polled with this context.
    #[inline]
    pub fn of(context: &Context<'_>) -> Self {
        let wakes = match current_task::woken_by(context.waker()) {
            Some((queue, id)) => Wakes::Task(queue, id),
            None => Wakes::Other(context.waker().clone()),
        };
        LocalWaker { wakes }
    }

    /// Returns one that wakes nothing.
    pub fn noop() -> Self {
        LocalWaker { wakes: Wakes::Other(Waker::noop().clone()) }
    }

    /// Queues a step of the task, unless it's queued already or has ended.
    #[inline]
    pub fn wake(self) {
        match self.wakes {
            Wakes::Task(queue, id) => queue.wake_task(id),
            Wakes::Other(waker) => waker.wake(),
        }
    }

    /// Returns true if both wake the same task. Of two that wake something else, it can return false
    /// although they do; see [`Waker::will_wake`].
    pub fn will_wake(&self, other: &LocalWaker) -> bool {
        match (&self.wakes, &other.wakes) {
            (Wakes::Task(queue, id), Wakes::Task(other_queue, other_id)) => {
                id == other_id && queue.id() == other_queue.id()
            }
            (Wakes::Other(waker), Wakes::Other(other)) => waker.will_wake(other),
            _ => false,
        }
    }
}
