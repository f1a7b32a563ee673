//! Random programs, each on our loop and on CPython's: every line must be the same, in the same
//! order.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod streams;
mod sync;
mod transports;
mod waiting;
