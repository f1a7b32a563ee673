//! Step 04: timers.
//!
//! The kernel's wait knows nothing about time except its timeout. So this step lets the loop keep
//! its own deadlines: before each wait it works out how long it can sleep, and afterwards it runs
//! the timers that are due.
//!
//! - [`Time`]: a point on a clock;
//! - [`Clock`]: [`MonotonicClock`] for real time, [`VirtualClock`] for tests in which an hour takes
//!   no time;
//! - [`Entry`]: a deadline, and its order among equal deadlines;
//! - [`TimerHeap`]: the timers, nearest deadline first;
//! - [`EchoServer`]: the loop so far, with its part [`IdleTimer`].

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod clock;
mod echo_server;
mod entry;
mod heap;
mod payloads;
mod time;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use echo_server::{EchoServer, IdleTimer, serve};
pub use entry::Entry;
pub use heap::{TimerHeap, TimerId};
pub use time::Time;
