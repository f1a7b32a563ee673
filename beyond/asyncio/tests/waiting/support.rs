//! The common code of the tests of waiting for many.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::future::Future as Coroutine;
use std::time::Duration;

use asyncio::{Error, EventLoop, Result, TimeoutError, VirtualClock, sleep};

use crate::common::run_without_reports;

/// Runs a main coroutine on a loop whose sleeps take no time and which reports nothing.
#[track_caller]
pub(crate) fn run<T: Clone + 'static>(main: impl Coroutine<Output = Result<T>> + 'static) -> T {
    run_without_reports(EventLoop::with_clock(VirtualClock::new()).unwrap(), main)
}

pub(crate) async fn pause(milliseconds: u64) -> Result<()> {
    sleep(Duration::from_millis(milliseconds)).await
}

pub(crate) async fn crash_after(milliseconds: u64) -> Result<()> {
    pause(milliseconds).await?;
    Err(Error::other(format!("crash after {milliseconds}")))
}

pub(crate) fn is_timeout<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().is_err_and(TimeoutError::is)
}
