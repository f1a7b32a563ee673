//! Waiting for many tasks.

use scene::{Transcript, say, scene};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, join_all, yield_now};

scene!(
    cancelled_in_join_all: order,
    "A task that waits for three others is cancelled. When does that wait end?"
);
/// After the last turn of a clean-up. When the task that waits is cancelled, `join_all` passes the
/// request on to the tasks that haven't ended and keeps waiting. If it returned at once, they'd run
/// on with no task waiting for them. An error doesn't end the wait, either: `one task has failed;
/// join_all has returned: false`.
fn cancelled_in_join_all(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let fails: Task<()> = queue.create_task(async { Err(Error::other("no such user")) });
    let waits = queue.create_task(wait(t, "waits", 0, queue.create_future()));
    let cleans_up = queue.create_task(wait(t, "cleans up", 2, queue.create_future()));
    let list = vec![fails, waits, cleans_up];
    let tasks = list.clone();
    let join = queue.create_task(async move {
        let joined = join_all(list).await;
        say!(t, "  join_all returns {}", said(&joined));
        joined
    });
    queue.run_until_idle()?;
    say!(t, "one task has failed; join_all has returned: {}", join.done());
    say!(t, "cancel(): {}", join.cancel());
    queue.run_until_idle()?;
    for (name, task) in ["fails", "waits", "cleans up"].iter().zip(&tasks) {
        say!(t, "{name}: cancelled() = {}", task.cancelled());
    }
    say!(t, "tasks in the queue: {}", queue.task_count());
    Ok(())
}

/// Returns an outcome in words.
fn said<T>(outcome: &Result<T>) -> &'static str {
    if outcome.is_ok() { "a result" } else { "an error" }
}

async fn wait(t: Transcript, name: &'static str, turns: usize, never: Future<()>) -> Result<()> {
    let outcome = never.await;
    for _ in 0..turns {
        yield_now().await?;
        say!(t, "  {name}: a turn of its clean-up");
    }
    say!(t, "  {name}: ends with {}", said(&outcome));
    outcome
}
