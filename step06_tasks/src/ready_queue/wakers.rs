//! A task's waker, through which any thread can wake the task.
//!
//! A [`Waker`](std::task::Waker) has to be `Send`, but a task isn't `Send`: it stays on the loop's
//! thread, in types that need no lock. So instead of the task, the waker holds the task's id, by
//! which the queue finds the task. A wake-up that comes too late finds no task.
//!
//! Making a waker costs an allocation and some atomic operations. The wakers that a loop keeps for
//! its timers and descriptors never leave the loop's thread, so they can be
//! [`LocalWaker`](crate::LocalWaker)s. A task that waits only for timers, descriptors and futures
//! of its own loop never shares its waker, so the next step can reuse that waker's state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Wake;

use super::current_queue::CURRENT_QUEUE;
use super::remote::{Message, QueueHandle};
use crate::any_task::TaskId;

// ANCHOR: state
/// The state of a waker, which all clones of the waker share.
pub(crate) struct TaskWaker {
    pub(crate) task: AtomicU64,
    queue: QueueHandle,
    /// True while a message with a wake-up is on its way and the queue hasn't handled it yet.
    is_sent: AtomicBool,
}
// ANCHOR_END: state

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    // ANCHOR: wake_by_ref
    /// Wakes the task, from any thread. The task's next step sees everything that
    /// this thread wrote before the call.
    ///
    /// - On the thread that runs the queue, the task is queued at once, and no
    ///   message is sent (`messages_of_a_thread`).
    /// - If another thread wakes the task a thousand times before the queue takes the
    ///   message, the queue gets only that one (`messages_of_a_thread`).
    /// - The call also works before the queue runs, in a thread that's ending and while
    ///   another queue runs, even if that queue has a task with the same id. Once the
    ///   task's queue is gone, the call does nothing (`wakes_from_anywhere`).
    /// - If the queue takes the message the moment it's sent, the next wake has to
    ///   send another message (`a_wake_is_taken_while_it_is_sent`).
    ///
    /// Not checked: if two threads wake the task at the same moment, its next step
    /// sees what both threads wrote before their calls.
    fn wake_by_ref(self: &Arc<Self>) {
        let is_queued = CURRENT_QUEUE.try_with(|current| match &*current.borrow() {
            Some(current) if current.shared.id == self.queue.id() => {
                current.wake(self.task());
                true
            }
            _ => false,
        });
        // A destructor might wake a task while the thread is ending and the variable is gone.
        if is_queued.unwrap_or(false) {
            return;
        }
        // Release: a thread that finds `true` leaves its wake-up to another thread's message, and
        // `has_arrived`, which acquires, has to see what both threads have written.
        if !self.is_sent.swap(true, Ordering::Release) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
    }
    // ANCHOR_END: wake_by_ref
}

impl TaskWaker {
    /// Makes the state of a task's waker. `Waker::from` turns the state into a waker.
    pub(crate) fn new(task: TaskId, queue: QueueHandle) -> Arc<Self> {
        let (task, is_sent) = (AtomicU64::new(task), AtomicBool::new(false));
        Arc::new(TaskWaker { task, queue, is_sent })
    }

    /// Returns the id of the task.
    pub(crate) fn task(&self) -> TaskId {
        // Relaxed: the id only changes while no other thread has the waker.
        self.task.load(Ordering::Relaxed)
    }

    // ANCHOR: has_arrived
    /// Notes that the message has arrived, so that the next wake-up sends another message.
    pub(crate) fn has_arrived(&self) {
        // A store acquires nothing, so this is a swap: the step that follows has to see everything
        // that a thread wrote before it found `true`.
        self.is_sent.swap(false, Ordering::Acquire);
    }
    // ANCHOR_END: has_arrived
}
