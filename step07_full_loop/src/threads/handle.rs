//! A loop, as other threads see it: a handle that takes callbacks, and the table of futures that other
//! threads will finish.

use std::collections::HashMap;
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
    /// The callback is queued first and the loop is woken second, so the loop can't look, find
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

/// The futures of a loop that other threads will finish.
#[derive(Default)]
pub(crate) struct RemoteFutures {
    made: u64,
    /// By number, a function that finishes that future. It's a closure because only the closure knows the
    /// type of the outcome.
    pub(super) finish: HashMap<u64, Box<dyn FnOnce()>>,
}

impl RemoteFutures {
    /// Returns all that's in the table, for the caller to drop: it can own anything.
    pub(crate) fn into_callbacks(self) -> impl Iterator<Item = Box<dyn FnOnce()>> {
        self.finish.into_values()
    }

    pub(super) fn insert(&mut self, finish: Box<dyn FnOnce()>) -> u64 {
        self.made += 1;
        self.finish.insert(self.made, finish);
        self.made
    }
}
