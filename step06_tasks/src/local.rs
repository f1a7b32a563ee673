//! Which queue this thread is running, so that a wake-up from within needs no lock.

use std::cell::RefCell;
use std::sync::Arc;

use crate::ReadyQueue;
use crate::inbox::Inbox;
use crate::task_table::TaskId;

thread_local! {
    static RUNNING: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}

/// While it lives, wake-ups on this thread go straight into the queue that was entered.
#[must_use = "the queue is left when this is dropped"]
#[derive(Debug)]
pub struct Entered {
    previous: Option<ReadyQueue>,
}

impl Entered {
    pub(crate) fn new(queue: ReadyQueue) -> Self {
        Entered { previous: RUNNING.replace(Some(queue)) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.set(self.previous.take());
    }
}

/// Queues the task if this thread runs the queue of that inbox.
pub(crate) fn push_step(inbox: &Arc<Inbox>, id: TaskId) -> bool {
    let push = |running: &RefCell<Option<ReadyQueue>>| match &*running.borrow() {
        Some(queue) if Arc::ptr_eq(queue.inbox(), inbox) => {
            queue.push_step(id);
            true
        }
        _ => false,
    };
    RUNNING.try_with(push).unwrap_or(false)
}
