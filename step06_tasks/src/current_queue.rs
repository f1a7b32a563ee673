//! The queue that this thread is running, so that a wake-up on the same thread needs no lock.

use std::cell::RefCell;

use crate::ReadyQueue;
use crate::queue_handle::QueueId;
use crate::tasks::TaskId;

thread_local! {
    static CURRENT_QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}

/// A guard: while it lives, wake-ups on this thread go straight into the queue that was entered.
#[must_use = "the queue is left when this is dropped"]
#[derive(Debug)]
pub struct Entered {
    /// What was entered before; `None` if it was this queue.
    before: Option<Before>,
}

#[derive(Debug)]
struct Before(Option<ReadyQueue>);

impl Entered {
    pub(crate) fn new(queue: &ReadyQueue) -> Self {
        if is_entered(queue.id()) {
            return Entered { before: None };
        }
        Entered { before: Some(Before(CURRENT_QUEUE.replace(Some(queue.clone())))) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(Before(queue)) = self.before.take() {
            CURRENT_QUEUE.set(queue);
        }
    }
}

/// Returns true if this thread runs that queue.
pub(crate) fn is_entered(queue: QueueId) -> bool {
    CURRENT_QUEUE.with_borrow(|current| current.as_ref().is_some_and(|it| it.id() == queue))
}

/// Queues a step of the task if this thread runs that queue; returns false if it doesn't.
pub(crate) fn wake_task(queue: QueueId, task: TaskId) -> bool {
    let wake = |current: &RefCell<Option<ReadyQueue>>| match &*current.borrow() {
        Some(current) if current.id() == queue => {
            current.wake_task(task);
            true
        }
        _ => false,
    };
    // A destructor might wake a task while the thread ends, when this variable is gone already.
    CURRENT_QUEUE.try_with(wake).unwrap_or(false)
}
