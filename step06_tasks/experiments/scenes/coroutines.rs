//! Coroutines and the tasks that drive them.

use std::panic::resume_unwind;

use scene::{Transcript, say, scene};
use step06_tasks::{ReadyQueue, Result, yield_now};

async fn greet(t: Transcript) -> Result<()> {
    say!(t, "  hello from inside");
    Ok(())
}

scene!(a_greeting: order, "When does the first line of an async function run?");
/// Calls an async function, makes a task of its coroutine, and runs the queue.
fn a_greeting(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    say!(t, "greet() is called");
    let coroutine = greet(t);
    say!(t, "create_task(coroutine)");
    let task = queue.create_task(coroutine);
    say!(t, "the task is done: {}", task.done());
    say!(t, "one round of the queue");
    queue.run_ready();
    say!(t, "the task is done: {}", task.done());
    say!(t, "greet() is called again, and its coroutine is dropped");
    drop(greet(t));
    say!(t, "end");
    Ok(())
}

scene!(does_await_switch: order, "Does every await let another task run?");
/// Task A awaits a future that's done, then yields, then awaits a future that B has set meanwhile.
/// Task B shows when it gets a turn.
fn does_await_switch(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let done = queue.create_future();
    done.set_result("a result that is there")?;
    let pending = queue.create_future();

    let awaited = pending.clone();
    queue.create_task(async move {
        say!(t, "A begins");
        say!(t, "A gets {}", done.await?);
        yield_now().await?;
        say!(t, "A goes on after yield_now");
        let result: &str = awaited.await?;
        say!(t, "A gets {}", result);
        Ok(())
    });
    queue.create_task(async move {
        say!(t, "B begins");
        pending.set_result("a result that B brought")?;
        say!(t, "B ends");
        Ok(())
    });
    queue.run_until_idle()?;
    Ok(())
}

scene!(task_without_a_handle: order, "The only handle to a task is dropped. Does the task still run?");
/// It does: the queue owns the task until its coroutine has ended, so both steps run without a
/// handle (`the handle is dropped; the queue holds 1 task`). You only need the handle for the
/// result, or to cancel the task. In asyncio you have to keep it, because the loop has only weak
/// references to its tasks: a task that waits for something that nothing else refers to is garbage.
fn task_without_a_handle(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let task = queue.create_task(async move {
        say!(t, "  first step");
        yield_now().await?;
        say!(t, "  second step");
        Ok(())
    });
    drop(task);
    say!(t, "the handle is dropped; the queue holds {} task", queue.task_count());
    queue.run_until_idle()?;
    say!(t, "the task has ended; the queue holds {} tasks", queue.task_count());
    Ok(())
}

scene!(a_panic_in_one_task, "What does a panic in one task do to other tasks?");
/// Nothing: C runs in the same round, right after B. The queue polls each task inside
/// `catch_unwind` and makes the panic the task's outcome, as if it had returned an error
/// (`B failed: panicked: B divides by zero`). So the panic never gets as far as the loop and its
/// other tasks.
fn a_panic_in_one_task(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let tasks = ["A", "B", "C"].map(|name| {
        queue.create_task(async move {
            yield_now().await?;
            if name == "B" {
                // A panic!, but without its message on standard error.
                resume_unwind(Box::new("B divides by zero"));
            }
            Ok(name)
        })
    });
    queue.run_until_idle()?;
    for (name, task) in ["A", "B", "C"].iter().zip(tasks) {
        match task.result() {
            Ok(result) => say!(t, "{name} returned {}", result),
            Err(error) => say!(t, "{name} failed: {}", error),
        }
    }
    Ok(())
}
