//! Waiting for many: when each way of it returns, and whose request a cancellation was.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    Error, EventLoop, LoopResult, Result, ReturnWhen, Task, Time, TimeoutError, VirtualClock,
    as_completed, create_task, current_task, gather, gather_return_exceptions, get_running_loop,
    sleep, timeout, wait,
};

scene!(
    five_ways_to_wait,
    "A returns after 1 s, B fails after 2 s, and C returns after 3 s. When does each wait return?"
);
/// The clock is virtual. Each way has its own three tasks. Errors that nothing asks for are reported,
/// but not here.
fn five_ways_to_wait(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(|_| {});
    event_loop.run(async move {
        let began = now()?;
        let outcome = gather(three_tasks()?)?.await.map(|results| results.join(", "));
        say!(t, "gather: {}, after {} s", shown(outcome), since(began)?);

        let began = now()?;
        let outcomes = gather_return_exceptions(three_tasks()?)?.await?;
        say!(t, "gather_return_exceptions: {}, after {} s", all(outcomes), since(began)?);

        for mode in [ReturnWhen::FirstCompleted, ReturnWhen::FirstException] {
            let began = now()?;
            let (done, pending) = wait(three_tasks()?, None, mode).await?;
            let outcomes = all(done.iter().map(|task| task.result()));
            let pending = pending.len();
            say!(t, "wait, {mode:?}: {outcomes}; {pending} pending, after {} s", since(began)?);
        }

        let began = now()?;
        for next in as_completed(three_tasks()?, None)? {
            let outcome = next.await;
            say!(t, "as_completed: {}, after {} s", shown(outcome), since(began)?);
        }
        Ok(())
    })?;
    Ok(())
}

fn shown(outcome: Result<impl ToString>) -> String {
    outcome.map_or_else(|error| error.to_string(), |result| result.to_string())
}

fn all(outcomes: impl IntoIterator<Item = Result<&'static str>>) -> String {
    outcomes.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Starts A, B and C.
fn three_tasks() -> LoopResult<[Task<&'static str>; 3]> {
    Ok([
        create_task(after(1, Ok("A")))?,
        create_task(after(2, Err(Error::other("B fails"))))?,
        create_task(after(3, Ok("C")))?,
    ])
}

async fn after(seconds: u64, outcome: Result<&'static str>) -> Result<&'static str> {
    sleep(Duration::from_secs(seconds)).await?;
    outcome
}

fn now() -> Result<Time> {
    Ok(get_running_loop()?.time())
}

fn since(began: Time) -> Result<u64> {
    Ok((now()? - began).as_secs())
}

scene!(
    a_request_is_not_taken_back,
    "A block cancels its own task, catches that, and goes on. What does a timeout around it report?"
);
/// A task group does that when a member fails: to get its own task out of what it awaits. Once, the
/// block takes its request back; once, it doesn't. The timeout is up a second later.
fn a_request_is_not_taken_back(t: Transcript) -> anyhow::Result<()> {
    for takes_back in [true, false] {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let block = async {
                cancel_and_catch(takes_back).await;
                sleep(Duration::from_hours(1)).await
            };
            let outcome = timeout(Duration::from_secs(1))?.run(block).await;
            let timed_out = outcome.is_err_and(|error| TimeoutError::is(&error));
            say!(t, "taken back = {takes_back}: TimeoutError = {timed_out}");
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
