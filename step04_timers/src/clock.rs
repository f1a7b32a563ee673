//! A real clock, and a clock that moves only when the program moves it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::Time;

/// A loop's source of time. A test can replace real time and real sleep with a virtual clock.
pub trait Clock {
    /// Returns the current time, which never goes back; asyncio's `loop.time()`.
    fn now(&self) -> Time;

    /// Returns the timeout for the kernel's wait, if the loop wants to sleep for `wanted` (`None`:
    /// until an event arrives).
    ///
    /// A real clock returns `wanted` itself. A virtual clock moves itself forward by `wanted` and
    /// returns zero, so the wait doesn't sleep. If `wanted` is `None`, both clocks return `None`.
    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration>;
}

/// A clock that can't be set: `CLOCK_MONOTONIC`, counted from this clock's start; Python's
/// `time.monotonic()`. See `clock_gettime(2)`.
///
/// The clock doesn't count the time during which the machine is suspended.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    start: Instant,
}

impl MonotonicClock {
    /// Starts a clock at zero.
    pub fn new() -> Self {
        MonotonicClock::started_at(Instant::now())
    }

    /// Makes a clock that was started at `start`. Clocks with the same start show the same time.
    pub fn started_at(start: Instant) -> Self {
        MonotonicClock { start }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        MonotonicClock::new()
    }
}

impl Clock for MonotonicClock {
    // ANCHOR: now
    /// Returns the time since this clock was started, measured by the kernel's monotonic clock to
    /// the nanosecond, however long ago the start was. A [`Time`] has room for 584 years; after
    /// that, the clock keeps showing the largest time.
    fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed()
    }
    // ANCHOR_END: now

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        wanted
    }
}

/// A clock that stands still until the program moves it. Clones show the same time.
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
    /// Makes a clock that shows zero.
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
