//! The server in the test's own process, and its clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod answers;
mod connections;
mod large;
#[path = "../support/model.rs"]
mod model;
mod random;
mod statuses;
#[path = "../support/mod.rs"]
mod support;
