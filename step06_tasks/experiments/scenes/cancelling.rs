//! Cancelling is control flow: an error raised where the task waits.

use scene::{Transcript, say, scene};
use step06_tasks::{Future, ReadyQueue, Result, Task, yield_now};

scene!(what_cancel_does: order, "Does cancel() end a task?");
/// Three tasks, each waiting for a future that's never set, are cancelled. One passes the error on,
/// one cleans up first, and one swallows the error.
fn what_cancel_does(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let passes_on = queue.create_task(pass_on(t, queue.create_future()));
    let cleans_up = queue.create_task(clean_up(t, queue.create_future()));
    let swallows = queue.create_task(swallow(t, queue.create_future()));
    queue.run_until_idle()?;

    let tasks = [("pass_on", passes_on), ("clean_up", cleans_up), ("swallow", swallows)];
    for (name, task) in &tasks {
        say!(t, "{name}: cancel() = {}, cancelled() = {}", task.cancel(), task.cancelled());
    }
    queue.run_until_idle()?;
    for (name, task) in &tasks {
        say!(t, "{name}: cancelled() = {}", task.cancelled());
        say!(t, "{name}: cancel() once more = {}", task.cancel());
    }
    Ok(())
}

/// Returns an outcome in words.
fn said<T>(outcome: &Result<T>) -> &'static str {
    if outcome.is_ok() { "a result" } else { "an error" }
}

async fn pass_on(t: Transcript, never: Future<u8>) -> Result<u8> {
    let answer = never.await?;
    say!(t, "pass_on: got {}", answer);
    Ok(answer)
}

async fn clean_up(t: Transcript, never: Future<u8>) -> Result<u8> {
    let outcome = never.await;
    say!(t, "clean_up: got {}, awaits again", said(&outcome));
    yield_now().await?;
    say!(t, "clean_up: cleaned up");
    outcome
}

async fn swallow(t: Transcript, never: Future<u8>) -> Result<u8> {
    let outcome = never.await;
    say!(t, "swallow: got {}, returns 7 anyway", said(&outcome));
    Ok(7)
}

scene!(
    cancelled_before_it_began,
    "One task is cancelled before its first step, and another cancels itself. Which of their lines run?"
);
/// Of the first task, none: its first step finds the request and ends the task without polling
/// the coroutine. The second task cancels itself while it's running and never reaches an await
/// where it could get the error, so it runs to the end. But the request is still pending when it
/// returns, and so it ends cancelled, too: `the second task: cancelled() = true`.
fn cancelled_before_it_began(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let early = queue.create_task(async move {
        say!(t, "the first task runs");
        Ok(())
    });
    say!(t, "cancel() before the first step: {}", early.cancel());
    queue.run_until_idle()?;
    say!(t, "the first task: cancelled() = {}", early.cancelled());

    let myself: Future<Task<()>> = queue.create_future();
    let inner_myself = myself.clone();
    let late = queue.create_task(async move {
        inner_myself.await?.cancel();
        say!(t, "the second task has cancelled itself");
        Ok(())
    });
    myself.set_result(late.clone())?;
    queue.run_until_idle()?;
    say!(t, "the second task: cancelled() = {}", late.cancelled());
    Ok(())
}

scene!(
    cancelled_while_awaiting: order,
    "A task awaits another task and is cancelled. Which of the two gets the error first?"
);
/// The inner one. The outer task waits for it, so `cancel()` passes the request on, and the inner
/// task's `await` fails. The outer task isn't woken until the inner one has ended, so inner tasks
/// clean up before outer ones. Each task on the way counts the request: `requests to end: inner 1,
/// outer 1`. asyncio does the same.
fn cancelled_while_awaiting(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let never: Future<()> = queue.create_future();
    let inner = queue.create_task(async move {
        let outcome = never.await;
        say!(t, "inner gets: {}", said(&outcome));
        outcome
    });
    let awaited = inner.clone();
    let outer = queue.create_task(async move {
        let outcome = awaited.await;
        say!(t, "outer gets: {}", said(&outcome));
        outcome
    });
    queue.run_until_idle()?;
    say!(t, "outer.cancel(): {}", outer.cancel());
    queue.run_until_idle()?;
    say!(t, "requests to end: inner {}, outer {}", inner.cancelling(), outer.cancelling());
    Ok(())
}
