//! Requests to end: when they arrive, how often, and who makes them.

use scene::{Transcript, say, scene};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, current_task, yield_now};

/// Says how a task has ended.
fn ending(task: &Task<u32>) -> String {
    match task.result() {
        Ok(number) => format!("returned {number}"),
        Err(error) if error.is_cancelled() => "cancelled".to_owned(),
        Err(error) => format!("failed: {error}"),
    }
}

scene!(
    cancelled_at_four_moments: order,
    "Four tasks are cancelled: before the first step, while waiting, when the result has arrived, \
     and after the end. How does each of them end?"
);
/// Makes four tasks, each with a coroutine that awaits a future of its own.
fn cancelled_at_four_moments(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let [early, waiting, late, done] = ["early", "waiting", "late", "done"].map(|name| {
        let answer = queue.create_future();
        (queue.create_task(wait_for(t, name, answer.clone())), answer)
    });
    say!(t, "early.cancel() = {}", early.0.cancel());
    queue.run_until_idle()?;

    say!(t, "waiting.cancel() = {}", waiting.0.cancel());
    late.1.set_result(1)?;
    say!(t, "late: its result has arrived; late.cancel() = {}", late.0.cancel());
    done.1.set_result(2)?;
    queue.run_until_idle()?;

    say!(t, "done.cancel() = {}", done.0.cancel());
    for (name, (task, _)) in
        [("early", early), ("waiting", waiting), ("late", late), ("done", done)]
    {
        say!(t, "{name}: {}", ending(&task));
    }
    Ok(())
}

async fn wait_for(t: Transcript, name: &'static str, answer: Future<u32>) -> Result<u32> {
    say!(t, "{name}: begins");
    let outcome = answer.await;
    let got = if outcome.is_ok() { "a result" } else { "cancelled" };
    say!(t, "{name}: got {}", got);
    outcome
}

scene!(
    cancelled_twice: order,
    "A waiting task is cancelled twice before its next step and once more during its clean-up. How \
     many errors does the task get?"
);
/// Two errors. The first two requests came before the task could run, so they make one `await`
/// fail, once (`an error; flushes before it ends`). The third comes during the clean-up, whose own
/// `await` fails (`an error; the flush is given up`). Each request is counted all the same:
/// `cancelled again, cancelling() = 3`. asyncio does the same.
fn cancelled_twice(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let (never, flushed) = (queue.create_future(), queue.create_future());
    let task = queue.create_task(flush_at_the_end(t, never, flushed));
    queue.run_until_idle()?;

    task.cancel();
    task.cancel();
    say!(t, "cancelled twice, cancelling() = {}", task.cancelling());
    queue.run_until_idle()?;
    task.cancel();
    say!(t, "cancelled again, cancelling() = {}", task.cancelling());
    queue.run_until_idle()?;
    say!(t, "the task: {}", ending(&task));
    Ok(())
}

async fn flush_at_the_end(t: Transcript, never: Future<u32>, flushed: Future<u32>) -> Result<u32> {
    let outcome = never.await;
    say!(t, "  an error; flushes before it ends");
    if flushed.await.is_err() {
        say!(t, "  an error; the flush is given up");
    }
    outcome
}

scene!(
    cancels_itself: order,
    "Three tasks cancel themselves; then one returns, one fails, and one awaits. How does each of them end?"
);
/// The first task returned 7, and still it ends cancelled (`returns: cancelled`). While a task
/// runs, there's no wait that could fail, so the request stays pending until the next `await`, and
/// this task ends before it comes to any. The second task keeps its own error
/// (`fails: failed: no such user`), because that says more than a cancellation. The third task gets
/// the error at its next `await`. asyncio agrees in every line.
fn cancels_itself(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    for then in ["returns", "fails", "awaits"] {
        let own_handle: Future<Task<u32>> = queue.create_future();
        let handle = own_handle.clone();
        let task = queue.create_task(async move {
            let myself = handle.await?;
            say!(t, "{then}: cancel() = {}", myself.cancel());
            say!(t, "{then}: still running");
            match then {
                "returns" => Ok(7),
                "fails" => Err(Error::other("no such user")),
                _ => {
                    yield_now().await?;
                    say!(t, "{then}: has awaited");
                    Ok(8)
                }
            }
        });
        own_handle.set_result(task.clone())?;
        queue.run_until_idle()?;
        say!(t, "{then}: {}", ending(&task));
    }
    Ok(())
}

scene!(
    a_timeout_takes_back_its_request,
    "A timeout cancels a task; in a second run, a user cancels the task, too. What does \
     cancelling() return after uncancel()?"
);
/// In the first run, no request is left after the timeout has taken back its own, so the task
/// continues. In the second run, two requests raise a single error, which can't say who made them.
/// But the requests are counted, and the user's request is left (`requests left: 1`), so the task
/// passes the error on: `the task: cancelled, cancelling() = 1`.
fn a_timeout_takes_back_its_request(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    for who in [&["the timeout"][..], &["the timeout", "the user"]] {
        let task = queue.create_task(fetch(t, queue.create_future()));
        queue.run_until_idle()?;
        say!(t, "cancelled by {}", who.join(" and "));
        for _ in who {
            task.cancel();
        }
        queue.run_until_idle()?;
        say!(t, "  the task: {}, cancelling() = {}", ending(&task), task.cancelling());
    }
    Ok(())
}

async fn fetch(t: Transcript, answer: Future<u32>) -> Result<u32> {
    let outcome = answer.await;
    let left = current_task().map_or(0, |task| task.uncancel());
    say!(t, "  an error; the timeout takes its request back; requests left: {}", left);
    if left > 0 {
        return outcome;
    }
    yield_now().await?;
    Ok(0)
}
