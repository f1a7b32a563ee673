//! Graceful shutdown: stop accepting, let the clients finish, for so long, then end the rest.
//!
//! A client's task is asked twice. The first cancellation says "finish": an idle client ends at once,
//! and one that's owed something gets it first, in the clean-up of its task. The second one, when
//! the time is up, says "now". (asyncio: `Server.close`, and a `wait` with a timeout for the tasks)

use std::time::Duration;

use step05_selfpipe::SIGTERM;
use step06_tasks::{Error, Result, Task, current_task, join_all};

use super::Clients;
use crate::{create_task, get_running_loop};

// ANCHOR: serve_until_stopped
/// Lets a server run until SIGTERM, or until this task is cancelled, which is what `run` does on
/// SIGINT; then ends it gracefully.
///
/// First it cancels the task that accepts, and waits until that has ended, which closes the port.
/// Then each client of the list is cancelled, once, and gets `grace` to finish. When the time is
/// up, or if this task is cancelled meanwhile, those that haven't ended are cancelled again; and
/// then it waits for them, however long they clean up. A client that fails doesn't end any other,
/// nor the wait. If all end early, it doesn't wait any longer, and leaves no timer.
///
/// SIGTERM has its previous action again once shutdown begins, so a second one ends the process.
/// Fails with the error of the task that accepts, if that fails by itself; then, too, the clients
/// get their time first. Otherwise, if this task was cancelled, it fails with `Cancelled`. After
/// SIGTERM alone there's no error. (Not checked: whether a client that cleans up is cancelled a
/// third time, and a task that accepts and ends by itself without an error.)
pub async fn serve_until_stopped(
    accepting: Task<()>,
    clients: Clients,
    grace: Duration,
) -> Result<()> {
    let event_loop = get_running_loop()?;
    let stopped = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    // If this task is cancelled, so is the one it waits for: both ways to stop are one.
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;

    let left = clients.tasks();
    for client in &left {
        client.cancel();
    }
    // Cancelling this cancels all that are left, and waits for them.
    let all_ended = create_task(join_all(left))?;
    let late = all_ended.clone();
    let timer = event_loop.call_later(grace, move || {
        late.cancel();
    });
    let _ = all_ended.await;
    timer.cancel();

    let was_asked = current_task().is_some_and(|this| this.cancelling() > 0);
    match ended {
        Err(error) if was_asked || !error.is_cancelled() => Err(error),
        Ok(()) if was_asked => Err(Error::cancelled()),
        _ => Ok(()),
    }
}
// ANCHOR_END: serve_until_stopped
