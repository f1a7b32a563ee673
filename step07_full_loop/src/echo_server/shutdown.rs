//! Graceful shutdown: stop accepting, give the clients a limited time to finish, then end the
//! remaining clients.
//!
//! A client's task can be cancelled twice. The first cancellation says "finish": an idle client's
//! task ends at once, and a client that's owed an answer gets the answer first, in the clean-up of
//! its task. The second cancellation, when the time is up, says "now". In asyncio, a graceful
//! shutdown is a `Server.close` followed by a `wait` with a timeout for the clients' tasks.

use std::time::Duration;

use step05_selfpipe::SIGTERM;
use step06_tasks::{Result, Task, check_cancelled, join_all};

use super::Clients;
use crate::get_running_loop;

// ANCHOR: serve_until_stopped
/// Lets a server run until SIGTERM arrives, until this task is cancelled, as `run` does on SIGINT,
/// or until `accepting` ends for another reason; then ends the server gracefully.
///
/// The task that accepts is cancelled first and has ended before any client is asked to end. Then
/// each client of the list is cancelled, once, even if it was asked to end before, and gets `grace`
/// to finish. Clients that haven't ended when the time is up are cancelled again. The call returns
/// when the last client has ended, however long that client cleans up.
///
/// The corner cases, all in `servers_that_stop`:
///
/// - If all clients end early, the call doesn't wait any longer and leaves no timer.
/// - A client's failure ends neither the other clients nor the wait.
/// - If this task is cancelled while the clients finish, the clients are cancelled again at once.
/// - If this task is cancelled while it awaits a leaf that doesn't call `check_cancelled`, and then
///   calls this function, the first leaf in the function fails. Even then, `accepting` ends first
///   and the clients get their time, even if `accepting` had ended before the call.
/// - If the task that accepts fails by itself, the clients get their time first, and then the call
///   fails with the same error. Otherwise the call fails with `Cancelled` if this task was
///   cancelled; after SIGTERM alone, it succeeds.
/// - Other code can cancel `accepting`: that stops the server, too, and isn't an error.
/// - SIGTERM has its previous action again before any client is asked to end, so a second SIGTERM
///   ends the process if that action is the default.
/// - `grace` can be any duration, even the longest.
///
/// Free: whether a client that cleans up is cancelled a third time, whether a client's error is
/// reported, and what happens if the task that accepts ends by itself without an error. Also what
/// becomes of `accepting` and the clients if another loop handles signals.
///
/// # Errors
///
/// Fails with the error of `accepting`, unless `accepting` was cancelled, with `Cancelled` if this
/// task was cancelled, and with `AlreadyExists` if another loop in the process handles signals.
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
    // Not `accepting.await`, which fails while `accepting` runs if this task is cancelled by now.
    // If `accepting` had ended before, no leaf was polled, so an earlier request is met here.
    let stop = join_all(vec![accepting.clone()]).await.and(check_cancelled());
    event_loop.remove_signal_handler(SIGTERM)?;

    let left = clients.tasks();
    for client in &left {
        client.cancel();
    }
    let late = left.clone();
    let timer = event_loop.call_later(grace, move || {
        for client in &late {
            client.cancel();
        }
    });
    // If this task is cancelled, this cancels all that are left and goes on waiting for them.
    let end = join_all(left).await;
    timer.cancel();

    match accepting.result() {
        Err(error) if !error.is_cancelled() => Err(error),
        _ => stop.and(end).map(drop),
    }
}
// ANCHOR_END: serve_until_stopped
