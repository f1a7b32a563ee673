//! The one part of the queue that other threads may touch.
//!
//! Futures, tasks and callbacks stay on the loop's thread and need no lock. What comes from
//! elsewhere (a wake-up, a callback that may travel) waits here until the loop fetches it.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::task_table::TaskId;

/// What another thread may leave for the loop. Of a task only its id travels.
pub(crate) enum Message {
    Wake(TaskId),
    Call(Box<dyn FnOnce() + Send>),
}

type Notify = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
pub(crate) struct Inbox {
    messages: Mutex<Vec<Message>>,
    /// Spares the loop the lock on the many ticks that find nothing.
    is_waiting: AtomicBool,
    notify: OnceLock<Notify>,
}

impl Inbox {
    /// Leaves a message, then wakes the loop: in this order, or the loop could look, find nothing
    /// and sleep. The first message of a batch wakes it, the others find it awake.
    pub(crate) fn push(&self, message: Message) {
        let is_first = {
            let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
            messages.push(message);
            self.is_waiting.store(true, Ordering::Release);
            messages.len() == 1
        };
        if is_first && let Some(notify) = self.notify.get() {
            notify();
        }
    }

    pub(crate) fn take(&self) -> Vec<Message> {
        if !self.is_waiting.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_waiting.store(false, Ordering::Release);
        mem::take(&mut *messages)
    }

    pub(crate) fn set_notify(&self, notify: Notify) -> bool {
        self.notify.set(notify).is_ok()
    }
}

/// The queue's face for other threads: clone it, send it, call it from anywhere.
#[derive(Clone)]
pub struct QueueHandle {
    inbox: Arc<Inbox>,
}

impl QueueHandle {
    pub(crate) fn new(inbox: Arc<Inbox>) -> Self {
        QueueHandle { inbox }
    }

    /// Hands a callback to the loop's thread and wakes the loop; asyncio's
    /// `call_soon_threadsafe`. Callbacks of one thread run in the order they were handed over.
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) {
        self.inbox.push(Message::Call(Box::new(callback)));
    }
}

impl std::fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueueHandle").finish_non_exhaustive()
    }
}
