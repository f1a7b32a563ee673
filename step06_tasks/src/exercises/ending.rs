//! Messages of other threads, requests to end, and waiting for the end.

use scene::{Exercise, Nudge};

pub(super) const QUEUE_MESSAGES: Exercise = Exercise {
    number: "6.7",
    name: "queue_messages",
    task: "Put what other threads have sent into the queue.",
    minutes: 10,
    only_here: None,
    scenes: &["thousand_calls_one_wake"],
    trials: &["messages_keep_their_order", "messages_cost_no_memory"],
    hints: &[
        "What does the next wake-up of the same task have to find, so that it's sent again?",
        "Take the messages in their order. A call becomes a Handle. For a wake-up, has_arrived comes before push_step: from then on, another thread sends a message of its own.",
        "\
        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);",
    ],
    nudges: &[],
};

pub(super) const CANCEL: Exercise = Exercise {
    number: "6.8",
    name: "cancel",
    task: "Ask a task to end: through what it waits for, or at its next resume.",
    minutes: 15,
    only_here: None,
    scenes: &["cancel_is_an_error", "cancelled_before_it_began", "cancel_reaches_inward"],
    trials: &["cancelled_in_any_order", "chains_of_tasks", "circles_of_tasks"],
    hints: &[
        "You don't end the task here. You only make sure that the cancellation reaches it. By \
         which way?",
        "self.cancel_what_it_waits_for() says whether there was something to cancel. If there \
         was, its end wakes the task; otherwise self.cancel_at_next_step() sees to the rest. \
         Count the request in either case, and return false only for a task that is done.",
        "\
    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let Some(inner) = control.pass_on(walk) else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())",
    ],
    nudges: &[
        Nudge {
            at: "cancel_reaches_inward",
            sees: "",
            hint: "The outer task waits for the inner one, so the inner one is cancelled, and \
                   gets the error first. Is the request passed on before you think of the \
                   task's next step?",
        },
        Nudge {
            at: "cancelled_in_any_order",
            sees: "was asked to end",
            hint: "Every request counts, even if another one is under way, except those to a \
                   task that's done.",
        },
        Nudge {
            at: "cancelled_in_any_order",
            sees: "cancel() =",
            hint: "cancel() returns whether the task could be asked: true unless it's done.",
        },
    ],
};

pub(super) const JOIN_ALL: Exercise = Exercise {
    number: "6.9",
    name: "join_all",
    task: "Wait until all tasks have ended, and leave none behind.",
    minutes: 15,
    only_here: None,
    scenes: &["join_all_leaves_no_task_behind"],
    trials: &["joins_of_any_tasks"],
    hints: &[
        "What can end the await of a future that nothing but your own cancellation cancels?",
        "Await all_done(&tasks) until it returns None. If that fails, you were cancelled: keep the first error, cancel the tasks, and go on waiting.",
        "\
    let mut outcome = Ok(());
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            outcome = outcome.and(Err(cancelled));
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())",
    ],
    nudges: &[],
};
