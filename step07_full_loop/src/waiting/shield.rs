//! `shield`: a cancellation that stops here.

use std::future::Future as Coroutine;

use step06_tasks::{Future, Result};

use crate::LoopResult;
use crate::event_loop::get_running_loop;

/// Returns a future with the same outcome, but cancelling it leaves the coroutine, the task or the
/// future inside alone; asyncio's `shield`. A coroutine gets a task.
///
/// So a task that awaits a shield can be cancelled, while what it has begun runs on. If that fails
/// later, the error is reported: nothing waits for it any more. If the inner one itself is cancelled,
/// the shield is too. Fails like [`ensure_future`](crate::ensure_future).
///
/// ```
/// use step07_full_loop::{create_task, run, shield, yield_now};
/// let saved = run(async {
///     let save = create_task(async {
///         yield_now().await?;
///         Ok("saved")
///     })?;
///     let shielded = shield(save.clone())?;
///     shielded.cancel();
///     assert!(shielded.await.is_err());
///     save.await
/// })?;
/// assert_eq!(saved, "saved");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[track_caller]
pub fn shield<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Future<T>> {
    let event_loop = get_running_loop()?;
    let inner = event_loop.ensure_future(coroutine)?;
    if inner.done() {
        return Ok(inner);
    }
    let outer = event_loop.create_future();
    // Weak, because the outer one holds the inner one, whose callback this is.
    let weak = outer.downgrade();
    let id = inner.add_done_callback(move |inner| {
        if let Some(outer) = weak.upgrade() {
            hand_on(inner, &outer);
        }
    });
    outer.add_done_callback(move |_| {
        inner.remove_done_callback(id);
    });
    Ok(outer)
}

fn hand_on<T: Clone + 'static>(inner: &Future<T>, outer: &Future<T>) {
    // If both have ended in the same tick, the outer one is done: it was cancelled. Then the inner
    // one's error isn't reported, as in asyncio.
    let _ = match inner.result() {
        Ok(result) => outer.set_result(result),
        Err(error) => outer.set_exception(error),
    };
}
