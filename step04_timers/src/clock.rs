//! Clocks: the real one, and one that moves only when it is told to.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::Time;

/// What a loop asks about time.
pub trait Clock {
    /// What time is it? Never earlier than the answer before. (asyncio: `loop.time()`)
    fn now(&self) -> Time;

    /// How long may the kernel's wait really sleep, when the loop wants to sleep for `wanted`
    /// (`None`: until something happens)?
    ///
    /// On a real clock just as long. A virtual clock needs no sleep: it moves itself forward by
    /// `wanted` and answers zero, so the wait only looks for what is ready.
    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration>;
}

/// A clock that nobody can set back: `CLOCK_MONOTONIC`, from zero on. See `clock_gettime(2)`.
///
/// It stands still while the machine is suspended. (asyncio: `time.monotonic()`)
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    start: Instant,
}

impl MonotonicClock {
    /// Starts a clock.
    pub fn new() -> Self {
        MonotonicClock { start: Instant::now() }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        MonotonicClock::new()
    }
}

impl Clock for MonotonicClock {
    // ANCHOR: now
    /// How long ago this clock was started, by the kernel's monotonic clock.
    fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed()
    }
    // ANCHOR_END: now

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        wanted
    }
}

/// A clock that stands still until somebody moves it. Clones show the same time.
///
/// ```
/// use std::time::Duration;
/// use step04_timers::{Clock, Time, VirtualClock};
/// let clock = VirtualClock::new();
/// let hour = Duration::from_secs(3600);
/// assert_eq!(clock.sleep_for(Some(hour)), Some(Duration::ZERO));
/// assert_eq!(clock.now(), Time::ZERO + hour);
/// ```
#[derive(Debug, Clone, Default)]
pub struct VirtualClock {
    now: Rc<Cell<Time>>,
}

impl VirtualClock {
    /// A clock that shows zero.
    pub fn new() -> Self {
        VirtualClock::default()
    }

    /// Moves the clock forward.
    pub fn advance(&self, duration: Duration) {
        self.now.set(self.now.get() + duration);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        let wanted = wanted?;
        self.advance(wanted);
        Some(Duration::ZERO)
    }
}
