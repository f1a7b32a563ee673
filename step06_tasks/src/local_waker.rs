//! A waker that stays on its queue's thread.
//!
//! A [`Waker`] can be sent to any thread, so it's a block of its own with atomic counters. What a
//! loop keeps for itself, a timer or the readiness of a descriptor, never leaves the loop's thread:
//! for that, a weak reference to the task is enough, and a task that only waits for such things needs
//! no waker of its own.

use std::fmt;
use std::rc::Weak;
use std::task::{Context, Waker};

use crate::current_task;
use crate::task::Step;

/// Wakes what was polled with a context, on the same thread. (Rust's std has one that isn't stable
/// yet: `std::task::LocalWaker`.)
#[derive(Clone)]
pub struct LocalWaker {
    wakes: Wakes,
}

#[derive(Clone)]
enum Wakes {
    /// Weak, because the task can own what keeps this, as it owns the timer of its sleep.
    Task(Weak<dyn Step>),
    /// Whatever isn't polled by the current task itself. A `select`, for example, can hand those that
    /// it polls a waker of its own.
    Other(Waker),
}

impl LocalWaker {
    /// Returns a waker for what is polled with this context.
    #[inline]
    pub fn of(context: &Context<'_>) -> Self {
        let wakes = match current_task::woken_by(context.waker()) {
            Some(task) => Wakes::Task(task),
            None => Wakes::Other(context.waker().clone()),
        };
        LocalWaker { wakes }
    }

    /// Queues a step of the task, unless it's queued already or has ended.
    #[inline]
    pub fn wake(self) {
        match self.wakes {
            Wakes::Task(task) => {
                if let Some(task) = task.upgrade() {
                    task.control().queue.wake_step_of(&task);
                }
            }
            Wakes::Other(waker) => waker.wake(),
        }
    }

    /// Returns true if both wake the same task. Of two that wake something else, it can return false
    /// although they do; see [`Waker::will_wake`].
    pub fn will_wake(&self, other: &LocalWaker) -> bool {
        match (&self.wakes, &other.wakes) {
            (Wakes::Task(task), Wakes::Task(other)) => task.ptr_eq(other),
            (Wakes::Other(waker), Wakes::Other(other)) => waker.will_wake(other),
            _ => false,
        }
    }
}

impl fmt::Debug for LocalWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalWaker").finish_non_exhaustive()
    }
}
