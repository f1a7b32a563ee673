//! Locks, events, conditions, semaphores, barriers and queues.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod barrier;
#[path = "../support/mod.rs"]
mod common;
mod condition;
mod dropped;
mod lock;
mod many_cancelled;
mod queue;
mod queue_end;
mod semaphore;
mod support;
mod wakers;
