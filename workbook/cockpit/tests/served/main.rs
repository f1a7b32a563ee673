//! The cockpit, in a process of its own for each test.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod ends;
mod safe;
#[path = "../support/mod.rs"]
mod support;
mod ticks;
