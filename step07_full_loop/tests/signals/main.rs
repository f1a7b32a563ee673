//! Signals belong to the whole process, so these tests run one after another.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod busy;
mod called_again;
mod handlers;
mod ignored;
mod interrupt;
#[path = "../event_loop/support.rs"]
mod loop_support;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets a test have the signals of the process to itself.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    kit::limit_time();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
