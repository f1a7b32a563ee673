//! Points in time on a loop's clock.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time: nanoseconds since a clock's start. A `u64` has room for 584 years.
///
/// Time is an integer, so that two deadlines that are meant to be equal are equal. asyncio's time
/// is a `float`, in seconds.
///
/// ```
/// use std::time::Duration;
/// use step04_timers::Time;
/// let later = Time::ZERO + Duration::from_millis(1500);
/// assert_eq!(later - Time::ZERO, Duration::from_millis(1500));
/// assert_eq!(later.as_nanos(), 1_500_000_000);
/// assert_eq!(later.to_string(), "1.5s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The moment when the clock was started.
    pub const ZERO: Time = Time(0);

    /// Makes the point `nanos` nanoseconds after the clock's start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos)
    }

    /// Returns the nanoseconds since the clock's start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    /// Returns the point that's `duration` later. Saturates, because a timeout that's too long must
    /// not wrap around to an early deadline.
    fn add(self, duration: Duration) -> Time {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Time(self.0.saturating_add(nanos))
    }
}

// ANCHOR: sub
impl Sub for Time {
    type Output = Duration;

    /// Returns the time between the two points, or zero if `earlier` is the later point.
    fn sub(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}
// ANCHOR_END: sub

impl fmt::Display for Time {
    /// Prints the time like a duration: `1.5s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0s"),
            nanos => write!(f, "{:?}", Duration::from_nanos(nanos)),
        }
    }
}
