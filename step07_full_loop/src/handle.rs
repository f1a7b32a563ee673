//! The loop's face for other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::LoopError;

/// Hands callbacks to the loop from any thread. Cloning gives another name for the same loop.
#[derive(Debug, Clone)]
pub struct LoopHandle {
    queue: step06_tasks::QueueHandle,
    closed: Arc<AtomicBool>,
}

impl LoopHandle {
    pub(crate) fn new(queue: step06_tasks::QueueHandle, closed: Arc<AtomicBool>) -> Self {
        LoopHandle { queue, closed }
    }

    /// Schedules a callback on the loop's thread, and wakes the loop if it sleeps.
    ///
    /// The callback waits in a queue first and the loop is woken second, so the loop cannot look,
    /// find nothing and fall asleep in between.
    pub fn call_soon_threadsafe(
        &self,
        callback: impl FnOnce() + Send + 'static,
    ) -> Result<(), LoopError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(LoopError::Closed);
        }
        self.queue.call_soon_threadsafe(callback);
        Ok(())
    }
}
