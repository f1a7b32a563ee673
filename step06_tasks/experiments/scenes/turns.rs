//! Tasks that take turns and tasks that wait for tasks.

use scene::{Transcript, say, scene};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, yield_now};

scene!(three_take_turns, "In which order do three tasks count to two if each yields in between?");
/// They take turns, first in, first out: `yield_now` puts its task at the end of the queue and
/// returns to the round, which runs the next entry, so `A2` comes after `C1`. The tasks share one
/// thread, and each gives it up only at an await or at its end. asyncio does the same with
/// `sleep(0)`.
fn three_take_turns(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    for name in ["A", "B", "C"] {
        queue.create_task(async move {
            for number in 1..=2 {
                say!(t, "{name}{number}");
                yield_now().await?;
            }
            say!(t, "{name} ends");
            Ok(())
        });
    }
    queue.run_until_idle()?;
    Ok(())
}

scene!(
    a_task_awaits_a_task: order,
    "A task creates two others and awaits them one after the other. Which of the three runs when?"
);
/// Making a task only queues it, so `parent: two tasks created` comes before `Ada: looking`. Both
/// lookups go on at once, while the parent awaits the first: `Eve: done` comes before
/// `parent: Ada is 36`. Eve's error is there before the parent asks for it, so her task keeps it
/// until then. The parent returns the error, hence `the parent's result: not found`.
fn a_task_awaits_a_task(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let inner_queue = queue.clone();
    let parent = queue.create_task(async move {
        let ada = inner_queue.create_task(look_up(t, "Ada"));
        let eve = inner_queue.create_task(look_up(t, "Eve"));
        say!(t, "parent: two tasks created");
        say!(t, "parent: Ada is {}", said(&ada.await));
        let found = eve.await;
        say!(t, "parent: Eve is {}", said(&found));
        found
    });
    queue.run_until_idle()?;
    say!(t, "the parent's result: {}", said(&parent.result()));
    Ok(())
}

async fn look_up(t: Transcript, name: &'static str) -> Result<u32> {
    say!(t, "{name}: looking");
    yield_now().await?;
    say!(t, "{name}: done");
    if name == "Ada" { Ok(36) } else { Err(Error::other("not found")) }
}

/// Returns a result in words.
fn said(result: &Result<u32>) -> String {
    match result {
        Ok(number) => number.to_string(),
        Err(error) => error.to_string(),
    }
}

scene!(a_task_awaits_itself, "A task awaits itself. Does it ever end?");
/// It ends with an error. A task can't be done while it waits, so it would wait for itself forever,
/// and nothing would ever report that. The poll of the handle sees that the handle belongs to the
/// running task and fails at once with "a task cannot await itself"
/// (`the await is over: an error`). asyncio does so a round later.
fn a_task_awaits_itself(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let own_handle: Future<Task<()>> = queue.create_future();
    let handle = own_handle.clone();
    let task = queue.create_task(async move {
        let myself = handle.await?;
        say!(t, "awaits itself");
        let outcome = myself.await;
        say!(t, "the await is over: {}", if outcome.is_err() { "an error" } else { "a result" });
        outcome
    });
    own_handle.set_result(task.clone())?;
    queue.run_until_idle()?;
    say!(t, "done: {}, cancelled: {}", task.done(), task.cancelled());
    Ok(())
}

scene!(
    two_await_one: order,
    "Two tasks await the same future. Which of them goes on first, and what result does each of them get?"
);
/// First A, then B, and the callback last: finishing a future queues whatever waits for it in the
/// order in which the waits began, and the callback was added later. `set_result` itself runs none
/// of them, so `set_result has returned` comes before all three. Each gets a clone of the result.
/// asyncio does the same.
fn two_await_one(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let future: Future<u32> = queue.create_future();
    for name in ["A", "B"] {
        let future = future.clone();
        queue.create_task(async move {
            say!(t, "{name} waits");
            say!(t, "{name} gets {}", future.await?);
            Ok(())
        });
    }
    queue.run_until_idle()?;
    future.add_done_callback(move |future| say!(t, "the callback gets {}", said(&future.result())));
    say!(t, "set_result(42)");
    future.set_result(42)?;
    say!(t, "set_result has returned");
    queue.run_until_idle()?;
    Ok(())
}
