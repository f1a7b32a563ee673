//! A handle to the loop for other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use step06_tasks::QueueHandle;

use crate::{LoopError, LoopResult};

/// Hands callbacks to the loop from any thread. A clone is another handle to the same loop.
#[derive(Debug, Clone)]
pub struct LoopHandle {
    queue: QueueHandle,
    closed: Arc<AtomicBool>,
}

impl LoopHandle {
    pub(crate) fn new(queue: QueueHandle, closed: Arc<AtomicBool>) -> Self {
        LoopHandle { queue, closed }
    }

    // ANCHOR: call_soon_threadsafe
    /// Schedules a callback on the loop's thread, and wakes the loop if it sleeps. It keeps its place
    /// among those of `call_soon` that were scheduled before it and after it.
    ///
    /// The callback is queued first and the loop is woken second, so the loop cannot look, find
    /// nothing and fall asleep in between. Fails with `Closed` if the loop is closed.
    #[track_caller]
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) -> LoopResult<()> {
        // Acquire, for the Release of close(): a thread that is refused finds all of it done.
        if self.closed.load(Ordering::Acquire) {
            return Err(LoopError::Closed);
        }
        self.queue.call_soon_threadsafe(callback);
        Ok(())
    }
    // ANCHOR_END: call_soon_threadsafe
}
