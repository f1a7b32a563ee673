//! The loop: its ticks, its errors, its ends, its sockets.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod busy;
mod destructors;
mod exceptions;
mod frozen;
mod hosts;
mod notes;
mod outcomes;
mod readiness;
mod refused;
mod run_until_complete;
mod runner;
mod streams;
mod support;
mod survival;
mod threads;
mod ticks;
mod trace;
mod until_empty;
