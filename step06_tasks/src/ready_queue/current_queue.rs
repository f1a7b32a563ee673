//! The queue that this thread is running, so that a wake-up on the same thread needs no lock.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ReadyQueue;
use crate::any_task::TaskId;

/// Tells one queue from another, on any thread.
pub(crate) type QueueId = u64;

/// Returns an id that no queue has had before.
pub(super) fn next_id() -> QueueId {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: each addition finds another value, and nothing else is read because of it.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

thread_local! {
    static CURRENT_QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}

/// A guard: while it lives, wake-ups on this thread go straight into the queue that was entered.
#[must_use = "the queue is left when this is dropped"]
#[derive(Debug)]
pub struct Entered {
    /// False if this queue was entered already, so that nothing has to be restored.
    is_first: bool,
    before: Option<ReadyQueue>,
}

impl Entered {
    #[inline]
    pub(crate) fn new(queue: &ReadyQueue) -> Self {
        if is_entered(queue.shared.id) {
            return Entered { is_first: false, before: None };
        }
        Entered { is_first: true, before: CURRENT_QUEUE.replace(Some(queue.clone())) }
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        if self.is_first {
            // Not set, which drops what was there in its place: it can be the last handle and own
            // anything.
            drop(CURRENT_QUEUE.replace(self.before.take()));
        }
    }
}

/// Returns true if this thread runs that queue.
#[inline]
pub(crate) fn is_entered(queue: QueueId) -> bool {
    CURRENT_QUEUE.with_borrow(|current| current.as_ref().is_some_and(|it| it.shared.id == queue))
}

// ANCHOR: wake_task
/// Queues a step of the task if this thread runs that queue; returns false if it doesn't.
#[inline]
pub(crate) fn wake_task(queue: QueueId, task: TaskId) -> bool {
    let wake = |current: &RefCell<Option<ReadyQueue>>| match &*current.borrow() {
        Some(current) if current.shared.id == queue => {
            current.wake(task);
            true
        }
        _ => false,
    };
    // A destructor might wake a task while the thread ends, when this variable is gone already.
    CURRENT_QUEUE.try_with(wake).unwrap_or(false)
}
// ANCHOR_END: wake_task
