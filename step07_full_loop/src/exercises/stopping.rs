//! How a server ends.

use scene::{Exercise, Nudge};

use super::LAST_STEP;

pub(super) const SERVE_UNTIL_STOPPED: Exercise = Exercise {
    number: "7.8",
    name: "serve_until_stopped",
    task: "Run a server until it's stopped, and end it gracefully.",
    minutes: 20,
    only_here: LAST_STEP,
    scenes: &["stop_finish_and_leave", "an_echo_server_is_stopped"],
    trials: &["servers_that_stop"],
    hints: &[
        "SIGTERM and the cancellation of your task should take the same way. What do you wait for \
         while the server runs, and what ends that wait in either case?",
        "Let the handler of SIGTERM cancel `accepting`, and await that: if your own task is \
         cancelled, so is what it waits for. Then remove the handler, and ask each of \
         clients.tasks() to end. join_all waits for all of them; run it as a task, and a timer that \
         cancels this one has the rest cancelled again. current_task() and its cancelling() tell a \
         cancellation of your own from the one by the handler.",
        "\
    let event_loop = get_running_loop()?;
    let to_stop = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        to_stop.cancel();
    })?;
    let outcome = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;

    let clients = clients.tasks();
    for client in &clients {
        client.cancel();
    }
    let waiting = create_task(join_all(clients))?;
    let ends_waiting = waiting.clone();
    let timer = event_loop.call_later(grace, move || {
        ends_waiting.cancel();
    });
    let _ = waiting.await;
    timer.cancel();

    match outcome {
        Err(error) if !error.is_cancelled() => Err(error),
        Err(cancelled) if current_task().is_some_and(|task| task.cancelling() > 0) => Err(cancelled),
        _ => Ok(()),
    }",
    ],
    nudges: &[
        Nudge {
            at: "servers_that_stop",
            sees: "still accepting",
            hint: "A client was asked to end while the server still accepted: the next one might come \
                   in too late for your list. Wait until `accepting` has ended before you ask for \
                   clients.tasks().",
        },
        Nudge {
            at: "servers_that_stop",
            sees: "overflow",
            hint: "The grace can be as long as a Duration can. call_later takes any, and adds it to the \
                   time without an overflow.",
        },
        Nudge {
            at: "servers_that_stop",
            sees: "handler",
            hint: "The handler of SIGTERM is still there. Remove it before you ask the clients, so that \
                   a second SIGTERM can end a process that doesn't want to end.",
        },
        Nudge {
            at: "servers_that_stop",
            sees: "could sleep",
            hint: "A timer is left over: all clients had ended early. Cancel it.",
        },
        Nudge {
            at: "servers_that_stop",
            sees: "returns",
            hint: "Either you've returned at another time, or with another outcome. You return when \
                   the last client has ended, and not before. An error of `accepting` is yours; a \
                   client's isn't; Cancelled is yours only if your own task was cancelled.",
        },
        Nudge {
            at: "servers_that_stop",
            sees: "client",
            hint: "Each client is asked once, when the server has stopped accepting, and once more when \
                   the time is up, or when your own task is cancelled again. The time is the same for \
                   all of them.",
        },
        Nudge {
            at: "stop_finish_and_leave",
            sees: "the server has ended",
            hint: "You've returned before the last client has ended, or with an error, though SIGTERM \
                   is how a server should end.",
        },
        Nudge {
            at: "stop_finish_and_leave",
            sees: "asked again",
            hint: "A client was asked again though its time wasn't up, or wasn't given its turn. Until \
                   `grace` is over, ask nothing again, and let the loop run.",
        },
        Nudge {
            at: "stop_finish_and_leave",
            sees: "",
            hint: "First the server stops accepting. Then all clients are asked, at once. They finish, or \
                   the time passes, and those that are left are asked again. Only then you return.",
        },
    ],
};
