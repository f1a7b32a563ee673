//! Waiting for many, and not for too long.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../support/mod.rs"]
mod common;
mod gather;
mod reports;
mod support;
mod task_group;
mod timeout;
mod wait;
mod wait_for;
