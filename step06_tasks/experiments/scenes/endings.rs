//! Ends that weren't planned: errors that nothing retrieves, panics, and waiting for many.

use std::panic::resume_unwind;

use scene::{Transcript, say, scene};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, join_all, yield_now};

scene!(error_is_never_retrieved, "A task fails, and no task awaits it. Is its error lost?");
/// It's reported. Once the task has failed and its last handle is gone, no code can ask for the
/// error any more, so the exception handler gets it, in asyncio's words
/// (`reported: Task exception was never retrieved: no such user`). An error that some code has
/// asked for isn't reported, because that code knows about it. Neither is a cancellation, because
/// the task's end was asked for.
fn error_is_never_retrieved(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {}", message));

    say!(t, "a task fails, and its handle is dropped");
    drop(queue.create_task(fail("no such user")));
    queue.run_until_idle()?;
    say!(t, "a future gets an exception and is dropped");
    let future: Future<()> = queue.create_future();
    future.set_exception(Error::other("no such city"))?;
    drop(future);
    say!(t, "a task fails and is asked for its exception");
    let task = queue.create_task(fail("no such street"));
    queue.run_until_idle()?;
    if let Some(error) = task.exception()? {
        say!(t, "  {}", error);
    }
    drop(task);
    say!(t, "a task is cancelled");
    queue.create_task(fail("never raised")).cancel();
    queue.run_until_idle()?;
    say!(t, "end");
    Ok(())
}

async fn fail(text: &'static str) -> Result<()> {
    Err(Error::other(text))
}

scene!(
    awaiting_a_panic,
    "Task B panics while task A awaits it and task C does something else. What does A get?"
);
/// A gets an error, like a thread that joins a panicked one
/// (`A gets an error: panicked: B divides by zero`): the queue polls each task inside
/// `catch_unwind` and turns a panic into an error. The panic ends B alone, and the queue runs the
/// other tasks as before: `C is still here`. Panics are for bugs. For errors that you expect,
/// return a `Result`, since with `panic = "abort"` the program would end.
fn awaiting_a_panic(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let panics = queue.create_task(async {
        yield_now().await?;
        // A panic!, but without its message on standard error.
        resume_unwind(Box::new("B divides by zero"));
        #[allow(unreachable_code, reason = "it says what B would have returned")]
        Ok(7)
    });
    let awaited = panics.clone();
    queue.create_task(async move {
        match awaited.await {
            Ok(number) => say!(t, "A gets {}", number),
            Err(error) => say!(t, "A gets an error: {}", error),
        }
        Ok(())
    });
    queue.create_task(async move {
        yield_now().await?;
        yield_now().await?;
        say!(t, "C is still here");
        Ok(())
    });
    queue.run_until_idle()?;
    say!(t, "B: done {}, cancelled {}", panics.done(), panics.cancelled());
    Ok(())
}

scene!(
    join_or_await_each: order,
    "A task waits for three others and is cancelled. Which of the three are cancelled, too?"
);
/// The task waits for the others one after the other, and then with `join_all`.
fn join_or_await_each(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    for way in ["one after the other", "joined"] {
        say!(t, "{way}: the waiting task is cancelled");
        let tasks =
            ["A", "B", "C"].map(|name| queue.create_task(work(t, name, queue.create_future())));
        let awaited = tasks.to_vec();
        let waiting = queue.create_task(async move {
            if way == "joined" {
                join_all(awaited).await?;
            } else {
                await_each(awaited).await?;
            }
            Ok(())
        });
        queue.run_until_idle()?;
        waiting.cancel();
        queue.run_until_idle()?;
        say!(t, "  still running: {}", tasks.iter().filter(|task| !task.done()).count());
        queue.cancel_all_tasks();
        queue.run_until_idle()?;
    }
    Ok(())
}

async fn await_each(tasks: Vec<Task<()>>) -> Result<()> {
    for task in tasks {
        task.await?;
    }
    Ok(())
}

async fn work(t: Transcript, name: &'static str, never: Future<()>) -> Result<()> {
    let outcome = never.await;
    say!(t, "  {name}: cancelled");
    outcome
}
