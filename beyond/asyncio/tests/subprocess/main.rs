//! Other programs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod pipes;
mod process;
