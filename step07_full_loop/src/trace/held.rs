//! How much a loop holds, at this moment, and what waits in it.

use step04_timers::Time;
use step06_tasks::Ran;

use crate::event_loop::{EventLoop, Timer};

/// What a loop has in its queue, its heap and its selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holdings {
    /// The tasks that haven't ended; asyncio's `len(all_tasks())`.
    pub tasks: usize,
    /// The timers in the heap; asyncio's `len(loop._scheduled)`.
    pub timers: usize,
    /// The descriptors in the selector, apart from those with which it's woken.
    pub descriptors: usize,
}

/// What waits in a loop's queue and in its heap.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Waiting {
    /// What's ready to run, next first.
    pub ready: Vec<Ran>,
    /// What the nearest timers will run, and when: a callback, or a step of a task that sleeps.
    pub timers: Vec<(Time, Ran)>,
}

impl EventLoop {
    /// Returns what waits in the queue, and up to that many of the nearest timers, for a report. It looks at
    /// every timer.
    ///
    /// ```
    /// use std::time::Duration;
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// let later = event_loop.call_later(Duration::from_secs(60), || {});
    /// let sooner = event_loop.call_later(Duration::from_secs(6), || {});
    /// let waiting = event_loop.waiting(1);
    /// assert_eq!(waiting.timers.len(), 1);
    /// assert_eq!(waiting.timers[0].0, sooner.when());
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn waiting(&self, most_timers: usize) -> Waiting {
        let heap = self.core.timers.borrow();
        let mut timers: Vec<(Time, &Timer)> = heap.timers().collect();
        timers.sort_by_key(|(when, _)| *when);
        let described = timers.into_iter().take(most_timers).map(|(when, timer)| {
            let ran = match timer {
                Timer::Callback(handle) => Ran::Callback(handle.created_at()),
                Timer::Wake(waker) => waker.task().map_or(Ran::Wake, Ran::Step),
            };
            (when, ran)
        });
        Waiting { ready: self.core.queue.ready(), timers: described.collect() }
    }

    /// Counts what the loop holds, for a trace or a report. A closed loop holds nothing.
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
    pub fn held(&self) -> Holdings {
        let timers = self.core.timers.borrow().len();
        let descriptors = self.core.poller.borrow().as_ref().map_or(0, |poller| poller.registered);
        Holdings { tasks: self.core.queue.task_count(), timers, descriptors }
    }
}
