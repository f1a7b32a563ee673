//! Debug mode: the loop says what has held it for too long, and where that was created.
//!
//! A callback that takes half a second is half a second in which nothing else runs. You see that
//! everything is slow, and not what makes it so. So in debug mode the loop measures each callback and
//! each step on its own clock.

use std::cell::Cell;
use std::time::Duration;

use step06_tasks::Ran;

use crate::event_loop::EventLoop;

/// What a loop has to know for its debug mode.
pub(crate) struct DebugMode {
    is_on: Cell<bool>,
    slow: Cell<Duration>,
}

impl Default for DebugMode {
    fn default() -> Self {
        DebugMode { is_on: Cell::new(false), slow: Cell::new(Duration::from_millis(100)) }
    }
}

impl EventLoop {
    /// Turns debug mode on or off; asyncio's `set_debug`. It's off at first, and then costs nothing.
    ///
    /// In debug mode, a callback or a step of a task that takes as long as
    /// [`slow_callback_duration`](EventLoop::slow_callback_duration) is reported to the exception
    /// handler, in asyncio's words (asyncio logs it):
    ///
    /// ```text
    /// Executing <Task pending name='Task-2' created at src/main.rs:7> took 0.213 seconds
    /// ```
    ///
    /// asyncio also notes in debug mode where callbacks and tasks are created. Here that's always
    /// known. And it refuses calls from the wrong thread, which don't compile here: see [`EventLoop`].
    pub fn set_debug(&self, is_on: bool) {
        self.core.debug.is_on.set(is_on);
        self.update_observer();
    }

    /// Returns true in debug mode.
    pub fn get_debug(&self) -> bool {
        self.core.debug.is_on.get()
    }

    /// Sets what counts as slow.
    pub fn set_slow_callback_duration(&self, duration: Duration) {
        self.core.debug.slow.set(duration);
    }

    /// Returns what counts as slow: 0.1 s, if nothing else was set.
    pub fn slow_callback_duration(&self) -> Duration {
        self.core.debug.slow.get()
    }

    /// Reports what has run, if it was slow and the loop is in debug mode.
    pub(crate) fn report_if_slow(&self, ran: &Ran, took: Duration) {
        if self.get_debug() && took >= self.slow_callback_duration() {
            let seconds = took.as_secs_f64();
            self.core.queue.report(&format!("Executing {ran} took {seconds:.3} seconds"));
        }
    }
}
