//! A long chain of tasks, each of which awaits the next, on a small stack.

use std::thread;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step06_tasks::{Future, ReadyQueue, Task};

const LENGTH: u32 = 20_000;

/// 13 bytes for each task, which isn't enough for a single frame.
const STACK: usize = 256 * 1024;

scene!(
    a_chain_of_tasks,
    "20,000 tasks await each other in a chain, on a stack of 256 KiB. What happens when the tasks end?"
);
/// They all end (`the outermost task returns 20000`), on a stack with 13 bytes per task, because no
/// task calls another. When a task ends, it only puts the task that awaits it into the queue and
/// returns, and the queue then runs that task from the same depth. Dropping a chain needs no more
/// stack (`dropped: 0 tasks left`), since the queue drops the coroutines one by one instead of each
/// coroutine dropping the next.
fn a_chain_of_tasks(t: Transcript) -> anyhow::Result<()> {
    on_a_small_stack(move || {
        let queue = ReadyQueue::new()?;
        let (outermost, innermost) = chain(&queue)?;
        innermost.set_result(0)?;
        queue.run_until_idle()?;
        say!(t, "completed: {} tasks left", queue.task_count());
        say!(t, "the outermost task returns {}", outermost.result()?);

        chain(&queue)?;
        say!(t, "another chain: {} tasks wait", queue.task_count());
        queue.set_exception_handler(|_| {});
        queue.clear();
        say!(t, "dropped: {} tasks left", queue.task_count());
        Ok(())
    })
}

scene!(
    chain_of_tasks_is_cancelled,
    "20,000 tasks await each other in a chain, on a stack of 256 KiB. The outermost task is \
     cancelled. Which tasks are cancelled at once?"
);
/// None. When `cancel()` returns, only the innermost future is cancelled: the request goes all the
/// way in at once, in a loop and not by recursion. The error comes back out one task per round,
/// because each task has to end before the next one is woken (`20000 rounds later: 0 tasks left`).
/// asyncio's `cancel` calls itself instead and raises a `RecursionError` if the chain is too long.
fn chain_of_tasks_is_cancelled(t: Transcript) -> anyhow::Result<()> {
    on_a_small_stack(move || {
        let queue = ReadyQueue::new()?;
        let (outermost, innermost) = chain(&queue)?;
        say!(t, "cancel() = {}", outermost.cancel());
        say!(t, "the innermost future is cancelled: {}", innermost.cancelled());
        say!(t, "the outermost task is cancelled: {}", outermost.cancelled());
        let mut rounds = 0;
        while queue.run_ready() > 0 {
            rounds += 1;
        }
        say!(t, "{rounds} rounds later: {} tasks left", queue.task_count());
        say!(t, "the outermost task is cancelled: {}", outermost.cancelled());
        Ok(())
    })
}

fn on_a_small_stack(
    body: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let thread = thread::Builder::new().stack_size(STACK).spawn(body)?;
    thread.join().map_err(|_| anyhow!("the thread panicked"))?
}

/// Makes the chain and lets every task run to its await. Each returns one more than the next.
fn chain(queue: &ReadyQueue) -> anyhow::Result<(Task<u32>, Future<u32>)> {
    let innermost: Future<u32> = queue.create_future();
    let awaited = innermost.clone();
    let mut task = queue.create_task(async move { Ok(awaited.await? + 1) });
    for _ in 1..LENGTH {
        let inner = task.clone();
        task = queue.create_task(async move { Ok(inner.await? + 1) });
    }
    queue.run_until_idle()?;
    Ok((task, innermost))
}
