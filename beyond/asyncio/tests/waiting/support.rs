//! The common code of the tests of waiting for many.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, EventLoop, Result, TimeoutError, VirtualClock, sleep, yield_now};
use kit::limit_time;

/// Runs a main coroutine on a loop whose sleeps take no time and which reports nothing.
#[track_caller]
pub(crate) fn run<T: Clone + 'static>(main: impl Coroutine<Output = Result<T>> + 'static) -> T {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
    let result = event_loop.run(main).unwrap();
    assert_eq!(reports.take(), [""; 0], "reported");
    result
}

/// Lets all other tasks have this many turns.
pub(crate) async fn ticks(count: u32) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
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

pub(crate) fn is_cancelled<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().is_err_and(Error::is_cancelled)
}
