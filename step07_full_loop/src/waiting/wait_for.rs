//! `wait_for`: one result, with a limit in time.

use std::future::Future as Coroutine;
use std::time::Duration;

use step06_tasks::{Future, Result};

use crate::event_loop::{EventLoop, get_running_loop};
use crate::waiting::{TimeoutError, timeout};

/// Waits for a coroutine, a future or a task, but for no longer than `limit`; asyncio's `wait_for`, as
/// it is since 3.12.
///
/// When the time is up, what it waits for is cancelled, and this fails with
/// [`TimeoutError`](crate::TimeoutError) once that has ended. If it returns a result all the same, or
/// another error, that's what comes out. If the task that awaits this is cancelled, so is what it
/// waits for. To leave that alone in both cases, [`shield`](crate::shield) it.
///
/// With a limit of zero, only what's done already has a result: a coroutine isn't even started.
///
/// ```
/// use std::time::Duration;
/// use step07_full_loop::{run, sleep, wait_for};
/// let ended = run(async { wait_for(sleep(Duration::from_hours(1)), Duration::from_millis(1)).await });
/// assert_eq!(ended.unwrap_err().to_string(), "timed out");
/// ```
pub async fn wait_for<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
    limit: impl Into<Option<Duration>>,
) -> Result<T> {
    let limit = limit.into();
    if limit.is_some_and(|limit| limit.is_zero()) {
        return cancel_at_once(coroutine).await;
    }
    timeout(limit)?.run(coroutine).await
}

async fn cancel_at_once<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> Result<T> {
    let event_loop = get_running_loop()?;
    let future = event_loop.ensure_future(coroutine)?;
    if future.done() {
        return future.result();
    }
    cancel_and_wait(&event_loop, &future).await?;
    future.result().map_err(|error| if error.is_cancelled() { TimeoutError.into() } else { error })
}

/// Cancels a future or a task, and waits until it has ended. Cancelling this itself ends only the
/// wait.
async fn cancel_and_wait<T: 'static>(event_loop: &EventLoop, future: &Future<T>) -> Result<()> {
    let waiter = event_loop.create_future();
    let release = waiter.clone();
    future.add_done_callback(move |_| {
        // It's done already if the task that waits was cancelled.
        let _ = release.set_result(());
    });
    future.cancel();
    waiter.await
}
