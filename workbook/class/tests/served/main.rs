//! The class's server, in a process of its own for each test.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod file;
mod names;
mod restart;
mod safe;
#[path = "../support/mod.rs"]
mod support;
