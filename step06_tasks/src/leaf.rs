//! Leaf futures: where a task really stops.
//!
//! Most futures wait for other futures; the one at the bottom waits for something itself:
//! a result, a time, a descriptor. A leaf has two duties when it is polled: to deliver a pending
//! cancellation, and to leave the waker where the event it waits for will find it.

use std::future::poll_fn;
use std::task::Poll;

use crate::{Error, Result, control};

/// What every leaf does first when it is polled: fails with `Cancelled` if the task that runs has a
/// cancellation to deliver. Outside a task it is always `Ok`.
pub fn check_cancelled() -> Result<()> {
    if control::take_cancellation() { Err(Error::Cancelled) } else { Ok(()) }
}

/// Lets all other tasks that are ready run first; asyncio's `sleep(0)`. The smallest leaf there is:
/// it waits for nothing but its next turn.
pub async fn yield_now() -> Result<()> {
    let mut has_yielded = false;
    poll_fn(|context| {
        check_cancelled()?;
        if has_yielded {
            return Poll::Ready(Ok(()));
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
