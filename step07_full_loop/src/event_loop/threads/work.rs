//! A piece of work for a thread, which can be cancelled until a thread begins it.

use std::sync::{Arc, Mutex, PoisonError};

type Function = Box<dyn FnOnce() + Send>;

// ANCHOR: work
/// A function that runs once at most, on whichever thread takes it first. A clone is another handle
/// to the same work.
#[derive(Clone)]
pub(crate) struct Work {
    /// Gone once it has begun or has been cancelled, which is why it can't do both. (asyncio:
    /// `set_running_or_notify_cancel`)
    function: Arc<Mutex<Option<Function>>>,
}
// ANCHOR_END: work

impl Work {
    pub(crate) fn new(function: impl FnOnce() + Send + 'static) -> Self {
        Work { function: Arc::new(Mutex::new(Some(Box::new(function)))) }
    }

    /// Runs the work on this thread, unless it has been cancelled.
    pub(crate) fn run(self) {
        if let Some(function) = self.take() {
            function();
        }
    }

    /// Keeps the work from running, and drops it with all that it holds. Work that has begun runs on.
    pub(crate) fn cancel(&self) {
        drop(self.take());
    }

    /// Takes the function out. It runs, and is dropped, when the lock is released: it's anybody's
    /// code.
    fn take(&self) -> Option<Function> {
        self.function.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
