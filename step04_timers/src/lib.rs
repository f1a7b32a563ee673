//! Step 04: timers, whale two.
//!
//! The kernel's wait knows no time but its timeout. So the loop keeps its deadlines itself, asks
//! each time how long it may sleep, and looks on waking which of them have come.
//!
//! - [`Time`]: a point on a clock;
//! - [`Clock`]: [`MonotonicClock`] for real, [`VirtualClock`] for tests in which an hour takes no
//!   time;
//! - [`Entry`]: a deadline, and its place among equal ones;
//! - [`TimerHeap`]: the deadlines, nearest first;
//! - [`EchoServer`]: the loop so far.

#![forbid(unsafe_code)]

mod clock;
mod echo_server;
mod entry;
mod heap;
mod payloads;
mod time;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use echo_server::{EchoServer, serve};
pub use entry::Entry;
pub use heap::{TimerHeap, TimerId};
pub use time::Time;
