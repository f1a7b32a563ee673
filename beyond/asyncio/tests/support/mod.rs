//! The common code of several test programs, each of which includes this file.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use asyncio::{Error, EventLoop, Result, yield_now};
use kit::limit_time;

/// Has a loop put its reports into a list, which is returned.
pub(crate) fn reports_of(event_loop: &EventLoop) -> Rc<RefCell<Vec<String>>> {
    let reports = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
    reports
}

/// Runs a coroutine to its end, on a loop that has to report nothing.
#[track_caller]
pub(crate) fn run_without_reports<T: Clone + 'static>(
    event_loop: EventLoop,
    main: impl Future<Output = Result<T>> + 'static,
) -> T {
    limit_time();
    let reports = reports_of(&event_loop);
    let result = event_loop.run(main).unwrap();
    assert_eq!(reports.take(), [""; 0], "reported");
    result
}

/// Lets all other tasks have this many turns.
pub(crate) async fn ticks(count: usize) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
}

/// Polls a future once, as part of the running task.
pub(crate) async fn poll_once<F: Future + ?Sized>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// Polls a coroutine where no loop runs, and returns its error.
pub(crate) fn error_without_a_loop<T>(coroutine: impl Future<Output = Result<T>>) -> Error {
    match pin!(coroutine).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Err(error)) => error,
        Poll::Ready(Ok(_)) => panic!("it's done"),
        Poll::Pending => panic!("it waits"),
    }
}

pub(crate) fn is_cancelled<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().is_err_and(Error::is_cancelled)
}
