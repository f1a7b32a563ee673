//! One tick: CPython's `_run_once`, in the same order.
//!
//! 1. How long may the loop sleep?
//! 2. Sleep in the selector, for so long or until something happens.
//! 3. What happened on descriptors goes into the ready queue.
//! 4. So do the timers that are due.
//! 5. Run what is in the queue now; what that schedules waits for the next tick.
//!
//! So descriptors come before timers, and both come behind what `call_soon` had queued before.

use std::mem;
use std::time::Duration;

use crate::event_loop::EventLoop;
use crate::{LoopError, readers};
use step03_selector::Selector;

/// No sleep is longer, whatever the timers say; asyncio's `MAXIMUM_SELECT_TIMEOUT`.
const LONGEST_SLEEP: Duration = Duration::from_hours(24);

impl EventLoop {
    // ANCHOR: run_once
    /// Runs one tick.
    pub(crate) fn run_once(&self) -> Result<(), LoopError> {
        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = mem::take(&mut *self.core.events.borrow_mut());
        self.selector().select(timeout, &mut events)?;
        self.core.queue.fetch_remote();
        for event in events.drain(..) {
            readers::queue_event(self, event)?;
        }
        *self.core.events.borrow_mut() = events;
        self.queue_due_timers();
        self.core.queue.run_once();
        Ok(())
    }
    // ANCHOR_END: run_once

    // ANCHOR: select_timeout
    /// How long the selector may sleep: not at all if there is work, else until the nearest timer,
    /// else for ever.
    pub fn select_timeout(&self) -> Option<Duration> {
        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        Some(until_nearest.min(LONGEST_SLEEP))
    }
    // ANCHOR_END: select_timeout

    // ANCHOR: queue_due_timers
    /// Moves every timer whose time has come into the ready queue. What time it is, is asked once:
    /// a timer that becomes due meanwhile waits for the next tick.
    fn queue_due_timers(&self) {
        let now = self.time();
        let mut timers = self.core.timers.borrow_mut();
        while let Some(handle) = timers.pop_due(now) {
            self.core.queue.push(handle);
        }
    }
    // ANCHOR_END: queue_due_timers
}
