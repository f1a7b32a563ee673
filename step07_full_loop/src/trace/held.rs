//! How much a loop holds, at this moment.

use crate::event_loop::EventLoop;

/// What a loop has in its queue, its heap and its selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// The tasks that haven't ended; asyncio's `len(all_tasks())`.
    pub tasks: usize,
    /// The timers in the heap; asyncio's `len(loop._scheduled)`.
    pub timers: usize,
    /// The descriptors in the selector, apart from those with which it's woken.
    pub descriptors: usize,
}

impl EventLoop {
    /// Counts what the loop holds, for a trace or a report.
    ///
    /// ```
    /// use std::time::Duration;
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// let timer = event_loop.call_later(Duration::from_secs(60), || {});
    /// assert_eq!(event_loop.held().timers, 1);
    /// timer.cancel();
    /// assert_eq!(event_loop.held().timers, 0);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn held(&self) -> Held {
        let timers = self.core.timers.borrow().len();
        Held {
            tasks: self.core.queue.task_count(),
            timers,
            descriptors: self.selector().registered(),
        }
    }
}
