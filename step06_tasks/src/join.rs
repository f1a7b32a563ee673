//! Waiting for many tasks.

use std::cell::Cell;
use std::rc::Rc;

use crate::{Error, Future, Result, Task};

// ANCHOR: join_all
/// Waits until all these tasks have ended, then returns their results in the
/// order of the tasks. Even if it fails, it doesn't return before all have ended.
/// - If a task fails, panics or is cancelled, that outcome is the task's result and
///   doesn't end the wait (`cancelled_in_join_all`, `joins_of_any_tasks`).
/// - If there are no tasks or all have ended, it returns at once and awaits nothing. A request
///   that its caller hasn't got yet is left to the caller's next await (`joins_of_any_tasks`).
/// - However many tasks there are, the task that waits takes a single step at the end instead of
///   one for each task. That step comes two rounds after the tasks' last step, since a callback
///   runs in between (`joins_of_any_tasks`).
/// - If the task that waits is cancelled, it passes the request on in its next step: each task
///   that hasn't ended gets one request, with the same message if there is one. asyncio's
///   `gather` passes the request on a round earlier, inside `cancel`. The wait lasts until all
///   have ended and then fails with the cancellation's error (`cancelled_in_join_all`,
///   `joins_of_any_tasks`).
/// - If all have ended by the time of that step, `join_all` fails in that step and waits for no
///   callback (`joins_of_any_tasks`).
/// - A request isn't meant for a task that has failed already, and a `join_all` that fails
///   retrieves no task's error: such an error is still reported if nobody else retrieves it
///   (`joins_of_any_tasks`).
/// - If the task that waits is cancelled again while the others clean up, that
///   request is passed on as well, however often that happens, but the first error is the
///   one to return (`joins_of_any_tasks`).
///
/// Free: what happens if one of these tasks awaits the task that called `join_all`.
/// Neither can end before the other. With asyncio's `gather`, cancelling one of the
/// two raises a `RecursionError`.
///
/// # Errors
///
/// Fails with the error of the first cancellation if the task that waits is
/// cancelled.
pub async fn join_all<T: Clone + 'static>(tasks: Vec<Task<T>>) -> Result<Vec<Result<T>>> {
    let mut outcome = Ok(());
    loop {
        let left: Vec<_> = tasks.iter().filter(|task| !task.done()).collect();
        let Some(first) = left.first() else { break };
        let all_done: Future<()> = first.queue().create_future();
        let count = Rc::new(Cell::new(left.len()));
        for task in &left {
            let (count, all_done) = (Rc::clone(&count), all_done.clone());
            task.add_done_callback(move |_| {
                count.set(count.get() - 1);
                if count.get() == 0 {
                    // It's done already if the task that waits was cancelled.
                    let _ = all_done.set_result(());
                }
            });
        }
        // Only a request to the task that waits cancels this future.
        if let Err(cancelled) = all_done.await {
            for task in left.into_iter().filter(|task| !task.done()) {
                match &cancelled {
                    Error::Cancelled(Some(message)) => task.cancel_with(message),
                    _ => task.cancel(),
                };
            }
            outcome = outcome.and(Err(cancelled));
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
}
// ANCHOR_END: join_all
