//! What wakes a task when it can continue: its waker, which works from any thread, and a local one.
//!
//! A [`Waker`] has to be `Send`, and the task is not: it stays on the loop's thread, with cells that
//! need no lock. So the waker holds only the task's id, and the queue finds the task by it. An id
//! that's too late finds nothing.
//!
//! Making a waker costs an allocation and some atomic operations. What a loop keeps for itself, a
//! timer or the readiness of a descriptor, never leaves the loop's thread: for that, a [`LocalWaker`]
//! is enough. A task that waits only for such things never shares its waker, so the next task's step
//! can have it.

use std::fmt;
use std::rc::Weak;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::task::{Wake, Waker};

use super::current_queue;
use super::remote::{Message, QueueHandle};
use crate::any_task::{Step, TaskId};

// ANCHOR: state
/// The state of a waker. Its clones share it.
pub(crate) struct TaskWaker {
    task: AtomicU64,
    queue: QueueHandle,
    /// A wake-up of another thread is on its way: it's in the inbox, and the queue hasn't taken it.
    is_sent: AtomicBool,
}
// ANCHOR_END: state

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    // ANCHOR: wake_by_ref
    /// Wakes the task: its next step will see all that this thread has written before.
    ///
    /// On the thread that runs the queue, the task is queued at once, without a lock. On any other
    /// thread, the wake-up is sent to the queue as a message. While one is on its way, more of them
    /// send nothing: a thousand wake-ups between two takes are one message. (Not checked: that this
    /// holds for two threads at the same moment, and what their memory orderings are.)
    fn wake_by_ref(self: &Arc<Self>) {
        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        // AcqRel: a thread that finds `true` leaves its wake-up to the message of another one, so
        // the queue, which acquires when it takes that message, has to see what both have written.
        if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
    }
    // ANCHOR_END: wake_by_ref
}

impl TaskWaker {
    /// Returns the id of the task.
    pub(crate) fn task(&self) -> TaskId {
        // Relaxed: it only changes while no other thread has the waker.
        self.task.load(Ordering::Relaxed)
    }

    /// Notes that the message has arrived: from here on, the next wake-up sends another.
    pub(crate) fn has_arrived(&self) {
        // A swap, not a store: a store acquires nothing. A thread that found `true` before this has
        // written something for the step that follows.
        self.is_sent.swap(false, Ordering::AcqRel);
    }
}

/// A task's own waker, which another task can have if nothing else holds it.
pub(crate) struct OwnWaker {
    pub(crate) waker: Waker,
    state: Arc<TaskWaker>,
}

impl OwnWaker {
    pub(crate) fn new(task: TaskId, queue: QueueHandle) -> Self {
        let (task, is_sent) = (AtomicU64::new(task), AtomicBool::new(false));
        let state = Arc::new(TaskWaker { task, queue, is_sent });
        OwnWaker { waker: Waker::from(Arc::clone(&state)), state }
    }

    /// Makes this the waker of another task.
    #[inline]
    pub(crate) fn assign(&self, task: TaskId) {
        self.state.task.store(task, Ordering::Relaxed);
    }

    /// Returns true if nothing else can wake with it: there are only the two references in here.
    pub(crate) fn is_unshared(&self) -> bool {
        let is_unshared = Arc::strong_count(&self.state) == 2;
        // Another thread that had it has read the task's id before it let go.
        fence(Ordering::Acquire);
        is_unshared
    }
}

/// Wakes what was polled with a context, on the same thread. (Rust's std has one that isn't stable
/// yet: `std::task::LocalWaker`.) [`of`](LocalWaker::of) makes one; it's in `control.rs`, because it asks
/// for the current task, of which the queue knows nothing.
#[derive(Clone)]
pub struct LocalWaker {
    pub(crate) wakes: Wakes,
}

#[derive(Clone)]
pub(crate) enum Wakes {
    /// Weak, because the task can own what keeps this, as it owns the timer of its sleep.
    Task(Weak<dyn Step>),
    /// Whatever isn't polled by the current task itself. A `select`, for example, can hand those that
    /// it polls a waker of its own.
    Other(Waker),
}

impl LocalWaker {
    /// Queues a step of the task, unless it's queued already or has ended.
    #[inline]
    pub fn wake(self) {
        match self.wakes {
            Wakes::Task(task) => {
                if let Some(task) = task.upgrade() {
                    task.wake();
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
