//! What the trials of an exercise need of the exercises after it, which aren't written yet. Nothing
//! else uses it.

use crate::EventLoop;

#[doc(hidden)]
impl EventLoop {
    /// Runs what's ready, without the rest of a tick.
    pub fn run_what_is_ready(&self) {
        self.core.queue.run_ready();
    }
}
