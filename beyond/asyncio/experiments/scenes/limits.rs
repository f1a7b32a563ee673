//! Limits in time, and how a limit tells its own cancellation from another one.

use std::time::Duration;

use asyncio::{
    Error, EventLoop, LoopResult, Result, Time, Timeout, TimeoutError, VirtualClock, create_task,
    current_task, get_running_loop, sleep, timeout, timeout_at,
};
use scene::{Transcript, say, scene};

const SECOND: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(2);

/// Returns the loop's time, which begins at zero, in seconds.
fn now() -> Result<u64> {
    Ok((get_running_loop()?.time() - Time::ZERO).as_secs())
}

fn shown(outcome: &Result<()>) -> &'static str {
    match outcome {
        Ok(()) => "a result",
        Err(error) if TimeoutError::is(error) => "timed out",
        Err(error) if error.is_cancelled() => "cancelled",
        Err(_) => "another error",
    }
}

/// Runs a block with a limit and says how the block ends.
async fn limited(
    name: &str,
    scope: Timeout,
    block: impl Future<Output = Result<()>>,
    t: Transcript,
) -> Result<()> {
    let outcome = scope.run(block).await;
    let expired = scope.expired();
    say!(t, "  {} s: the {name} block ends: {}; expired: {}", now()?, shown(&outcome), expired);
    outcome
}

scene!(
    nested_timeouts,
    "A sleep has two time limits, one inside the other. What does each limit report?"
);
/// The inner limit is the shorter one, then the longer one, and then both have the same deadline.
fn nested_timeouts(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        for (outer, inner) in [(3, 1), (1, 3), (2, 2)] {
            say!(t, "{} s: inner limit {inner} s, outer limit {outer} s", now()?);
            let (outer, inner) = (timeout(outer * SECOND)?, timeout(inner * SECOND)?);
            let block = limited("inner", inner, sleep(9 * SECOND), t);
            let _ = limited("outer", outer, block, t).await;
            let requests = current_task().map_or(0, |task| task.cancelling());
            say!(t, "  requests left: {}", requests);
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_late_block,
    "A limit's time is up, but its block cleans up first. When does the limit end, and how?"
);
/// When the time is up, the limit cancels the task and then waits until the block has cleaned up.
/// So the tidy block, with a limit of 1 s, takes 4 s:
/// `4 s: the tidy block ends: timed out; expired: true`. The cancellation becomes `timed out`
/// only if the block passes it on. A result or another error comes out as it is:
/// `8 s: the stubborn block ends: a result; expired: true`. asyncio does the same.
fn a_late_block(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        for name in ["tidy", "stubborn", "angry"] {
            let block = async {
                let cancelled = sleep(9 * SECOND).await;
                say!(t, "  {} s: the block's sleep: {}", now()?, shown(&cancelled));
                sleep(3 * SECOND).await?;
                match name {
                    "tidy" => cancelled,
                    "stubborn" => Ok(()),
                    _ => Err(Error::other("how rude")),
                }
            };
            say!(t, "{} s: 1 s for the {name} block", now()?);
            let _ = limited(name, timeout(SECOND)?, block, t).await;
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_timeout_and_a_cancellation,
    "A task's time runs out in the same tick in which the task is cancelled. With which error does the task end?"
);
/// The timeout and other code have asked the task to end, and the task gets one error for both. The
/// timeout takes its own request back and finds one left, so other code wants the task to end, too.
/// A `TimeoutError` would hide that request, so the timeout passes the cancellation on:
/// `the task: cancelled, requests to end: 1`. If one of the requests comes earlier, the task
/// ends with that request's error.
fn a_timeout_and_a_cancellation(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        for (limit, cancels) in [(2, 2), (1, 2), (2, 1)] {
            say!(t, "a limit of {limit} s, cancelled after {cancels} s");
            let task = create_task(async move {
                limited("only", timeout(limit * SECOND)?, sleep(9 * SECOND), t).await
            })?;
            let cancelled = task.clone();
            get_running_loop()?.call_later(cancels * SECOND, move || {
                cancelled.cancel();
            });
            let outcome = task.clone().await;
            say!(t, "  the task: {}, requests to end: {}", shown(&outcome), task.cancelling());
            sleep(5 * SECOND).await?;
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_block_that_swallows,
    "A block cancels its own task, catches the error and goes on. What does its timeout report?"
);
/// That's what a task group does when a member fails, to get its own task out of what it awaits.
/// The first time, the block takes the request back with `uncancel`; the second time, it doesn't.
/// Both times, the timeout is one second.
fn a_block_that_swallows(t: Transcript) -> anyhow::Result<()> {
    for takes_back in [true, false] {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let block = async {
                cancel_and_catch(takes_back).await;
                sleep(Duration::from_hours(1)).await
            };
            let outcome = timeout(Duration::from_secs(1))?.run(block).await;
            let timed_out = outcome.is_err_and(|error| TimeoutError::is(&error));
            say!(t, "request taken back = {takes_back}: TimeoutError = {}", timed_out);
            Ok(())
        })?;
    }
    Ok(())
}

async fn cancel_and_catch(takes_back: bool) {
    let Some(task) = current_task() else { return };
    task.cancel();
    // This fails at once.
    let _ = sleep(Duration::from_hours(1)).await;
    if takes_back {
        task.uncancel();
    }
}

scene!(
    two_seconds_for_three_calls,
    "A request that may take 2 s makes three calls of 1.5 s each. How long does the request take?"
);
/// A duration starts over with each call. Each call took less than 2 s, so no limit noticed that
/// the request took more: `after 4.5s: answered`. A deadline is worked out once, and it's the same
/// moment in every call, so the second call runs into it: `after 2s: timed out`. asyncio's
/// `timeout` and `timeout_at` do the same.
fn two_seconds_for_three_calls(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        say!(t, "each call has a limit of {LIMIT:?}");
        let began = event_loop.time();
        report(began, three_calls(|| timeout(LIMIT)).await, t)?;

        let began = event_loop.time();
        let deadline = began + LIMIT;
        say!(t, "all calls share a deadline");
        report(began, three_calls(|| Ok(timeout_at(deadline))).await, t)
    })?;
    Ok(())
}

async fn three_calls(limit: impl Fn() -> LoopResult<Timeout>) -> Result<&'static str> {
    for _ in 1..=3 {
        limit()?.run(sleep(Duration::from_millis(1500))).await?;
    }
    Ok("answered")
}

fn report(began: Time, outcome: Result<&'static str>, t: Transcript) -> Result<()> {
    let took = get_running_loop()?.time() - began;
    let outcome = outcome.map_or_else(|error| error.to_string(), str::to_owned);
    say!(t, "  after {:?}: {}", took, outcome);
    Ok(())
}
