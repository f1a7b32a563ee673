//! Waiting for many tasks.

use std::cell::Cell;
use std::rc::Rc;

use crate::{Future, Result, Task};

// ANCHOR: join_all
/// Waits until all these tasks have ended, and returns their results, in the order of the tasks and
/// whatever they are: a task that fails, panics or is cancelled doesn't end the wait. With no tasks
/// at all it returns at once.
///
/// If the task that waits is cancelled, all tasks that haven't ended are cancelled at once, each with
/// one request; then it still waits until all have ended, and fails with the first error that it
/// got. So when this function returns, no task of the list is left behind. A request that arrives
/// while it waits for them to clean up is passed on to all that are left, like the first.
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
/// Returns a future that's done when all tasks have ended, and `None` if they have. Nothing but the
/// cancellation of the task that awaits it cancels that future.
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
