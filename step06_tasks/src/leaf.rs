//! Leaf futures: where a task really stops.
//!
//! Most futures wait for other futures; the one at the bottom waits for something itself:
//! a result, a time, a descriptor. A leaf has two duties when it is polled: to deliver a pending
//! cancellation, and to leave the waker where the event it waits for will find it.

use std::future::poll_fn;
use std::task::Poll;

use crate::{Result, cancelling};

/// Fails with `Cancelled` if the running task has a cancellation to deliver. Every leaf calls this
/// first when it's polled. Outside a task it always succeeds.
#[inline]
pub fn check_cancelled() -> Result<()> {
    cancelling::take_delivery().map_or(Ok(()), Err)
}

/// Lets all other ready tasks and callbacks run first; asyncio's `sleep(0)`. It's the smallest
/// possible leaf: it waits only for its next turn.
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
