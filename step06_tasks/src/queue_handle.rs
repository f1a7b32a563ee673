//! The part of the queue that other threads can use: a sender into its inbox.
//!
//! Futures, tasks and callbacks stay on the loop's thread and need no lock. Wake-ups and callbacks
//! from other threads are sent through the inbox of step 05, and the queue takes them from there.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use step05_selfpipe::Sender;

use crate::observer;
use crate::task_waker::TaskWaker;

/// A message to a queue. Of a task, only its waker is sent.
pub(crate) enum Message {
    Wake(Arc<TaskWaker>),
    Call(Box<dyn FnOnce() + Send>),
}

/// Tells one queue from another, on any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueId(u64);

impl QueueId {
    /// Makes an id that no queue has had before.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: each addition finds another value, and nothing else is read because of it.
        QueueId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A handle to a queue for other threads: clone it, send it, call it from anywhere.
#[derive(Clone)]
pub struct QueueHandle {
    /// Each task's waker has a handle, so a handle is small, and a clone increases only one reference
    /// count.
    shared: Arc<Shared>,
}

struct Shared {
    id: QueueId,
    sender: Sender<Message>,
}

impl QueueHandle {
    pub(crate) fn new(id: QueueId, sender: Sender<Message>) -> Self {
        QueueHandle { shared: Arc::new(Shared { id, sender }) }
    }

    pub(crate) fn id(&self) -> QueueId {
        self.shared.id
    }

    /// Hands a callback to the loop's thread and wakes the loop; asyncio's `call_soon_threadsafe`.
    ///
    /// It keeps its place among the others, as in asyncio: callbacks of one thread run in the order
    /// in which they were handed over, and so do those of two threads if one handover happened
    /// before the other. If the queue is gone, the callback is dropped.
    #[track_caller]
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) {
        let created_at = Location::caller();
        self.send(Message::Call(Box::new(move || {
            observer::note_created_at(created_at);
            callback();
        })));
    }

    pub(crate) fn send(&self, message: Message) {
        // A queue that is gone has no task left to wake, and nothing to run a callback on.
        let _ = self.shared.sender.send(message);
    }
}

impl fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueHandle").finish_non_exhaustive()
    }
}
