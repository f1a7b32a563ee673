//! Three coroutines in one task.
//!
//! A task each would cost three allocations and more, and they'd have to be cancelled one by one.
//! Here, whatever wakes the task lets all three go on; each finds out by itself whether it can.

use std::future::{Future as Coroutine, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use step06_tasks::Result;

/// Awaits all three, and returns their results, or the first error. Then the others are dropped.
pub(super) async fn together<A, B, C>(
    one: impl Coroutine<Output = Result<A>>,
    other: impl Coroutine<Output = Result<B>>,
    third: impl Coroutine<Output = Result<C>>,
) -> Result<(A, B, C)> {
    let (mut one, mut other, mut third) = (pin!(one), pin!(other), pin!(third));
    let (mut first, mut second, mut last) = (None, None, None);
    poll_fn(|context| {
        poll_once_more(one.as_mut(), &mut first, context)?;
        poll_once_more(other.as_mut(), &mut second, context)?;
        poll_once_more(third.as_mut(), &mut last, context)?;
        match (first.take(), second.take(), last.take()) {
            (Some(a), Some(b), Some(c)) => Poll::Ready(Ok((a, b, c))),
            (a, b, c) => {
                (first, second, last) = (a, b, c);
                Poll::Pending
            }
        }
    })
    .await
}

/// Polls a coroutine that isn't done, and keeps its result.
fn poll_once_more<T>(
    coroutine: Pin<&mut impl Coroutine<Output = Result<T>>>,
    result: &mut Option<T>,
    context: &mut Context<'_>,
) -> Result<()> {
    if result.is_none()
        && let Poll::Ready(outcome) = coroutine.poll(context)
    {
        *result = Some(outcome?);
    }
    Ok(())
}
