//! Waiting for many tasks.

use std::cell::Cell;
use std::rc::Rc;

use crate::{Future, Result, Task};

// ANCHOR: join_all
/// Waits until all these tasks have ended, and returns their results in the
/// order of the tasks. When it returns, none of them is left behind.
/// - A task fails, panics or is cancelled: that's its result, and doesn't end
///   the wait (`cancelled_in_join_all`, `joins_of_any_tasks`).
/// - There are no tasks, or all have ended: it returns at once
///   (`joins_of_any_tasks`).
/// - The task that waits is cancelled: each task that hasn't ended gets one
///   request. The wait lasts until all have ended, and then fails with the
///   error that ended it (`cancelled_in_join_all`).
/// - It's cancelled again while they clean up: that request is passed on as
///   well, but the first error is the one to return (`joins_of_any_tasks`).
///
/// # Errors
///
/// Fails if the task that waits is cancelled: with the error that ended the
/// wait first.
pub async fn join_all<T: Clone + 'static>(tasks: Vec<Task<T>>) -> Result<Vec<Result<T>>> {
    let mut outcome = Ok(());
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            outcome = outcome.and(Err(cancelled));
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
}
// ANCHOR_END: join_all

// ANCHOR: all_done
/// Returns a future that's done when all tasks have ended, or `None` if they've ended already.
/// Nothing cancels that future except the cancellation of the task that awaits it.
fn all_done<T: 'static>(tasks: &[Task<T>]) -> Option<Future<()>> {
    let left: Vec<_> = tasks.iter().filter(|task| !task.done()).collect();
    let all_done = left.first()?.queue().create_future();
    let count = Rc::new(Cell::new(left.len()));
    for task in left {
        let (count, all_done) = (Rc::clone(&count), all_done.clone());
        task.add_done_callback(move |_| {
            count.set(count.get() - 1);
            if count.get() == 0 {
                // It's done already if the task that waited was cancelled.
                let _ = all_done.set_result(());
            }
        });
    }
    Some(all_done)
}
// ANCHOR_END: all_done
