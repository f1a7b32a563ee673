//! Cancels a task in the middle of code that doesn't know about cancellation.
//!
//! The loop delivers a cancellation as an error in the task's next wait. Inside hyper, that wait is
//! usually a read, and hyper mistakes the error for a lost connection. But a future from
//! `async-channel` doesn't belong to the loop and delivers no error at all. So we wrap such foreign
//! futures: when the request to cancel arrives, the wrapper drops the future, which is how Rust's
//! libraries expect to be cancelled.

use std::error::Error as StdError;
use std::future::poll_fn;
use std::io;
use std::pin::pin;

use asyncio::{Error, Result};
use step06_tasks::check_cancelled;

/// Awaits a future that doesn't know about the loop. If the task is cancelled, drops the future
/// instead of polling it again and fails with [`Error::Cancelled`].
///
/// ```
/// use std::future::pending;
/// use asyncio::{create_task, run, yield_now};
/// use ecosystem::cancellable;
///
/// run(async {
///     let task = create_task(cancellable(pending::<()>()))?;
///     yield_now().await?;
///     task.cancel();
///     assert!(task.await.is_err_and(|error| error.is_cancelled()));
///     Ok(())
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
// ANCHOR: cancellable
pub async fn cancellable<F: Future>(future: F) -> Result<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| {
        check_cancelled()?;
        future.as_mut().poll(context).map(Ok)
    })
    .await
}
// ANCHOR_END: cancellable

/// Returns the cancellation that caused a library's error, if there is one. For example, a read
/// from an [`Io`](crate::Io) fails with the cancellation, and the library wraps that error.
pub fn cancellation_in<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<Error>().filter(|error| error.is_cancelled()) {
            return Some(found);
        }
        // The source of an io::Error is its inner error's source, not the inner error.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inner.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source());
    }
    None
}
