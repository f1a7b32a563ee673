//! Futures, tasks and the queue that runs them: properties that no scene shows.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod cancel_messages;
mod cancelling;
mod chains;
mod floods;
mod futures;
mod observer;
mod overriding;
mod panics;
mod stale_waits;
mod tasks;
mod threads;
