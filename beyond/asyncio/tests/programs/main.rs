//! The programs in `examples/`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod books_a_trip;
mod chatting;
mod graceful;
mod greets;
mod serving;
mod support;
mod transfers;
mod working;
