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
        "Take the messages in their order. A call becomes a Handle. For a wake-up, \
         has_arrived comes before push_step: from then on, another thread sends a message of \
         its own.",
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
    nudges: &[
        Nudge {
            at: "messages_keep_their_order",
            sees: "sent: 0",
            hint: "A thread's wake-up sent nothing, because the one before hasn't arrived, as \
                   far as the waker knows. has_arrived() tells it.",
        },
        Nudge {
            at: "messages_keep_their_order",
            sees: "runs",
            hint: "Calls and wake-ups are in one list, and that's their order in the queue, \
                   too.",
        },
        Nudge {
            at: "messages_keep_their_order",
            sees: "step of",
            hint: "A task took a step out of its turn. push_step only queues it, once, behind \
                   what's ready already.",
        },
        Nudge {
            at: "messages_cost_no_memory",
            sees: "",
            hint: "The list comes with memory, and the next take needs one. Empty it, and put \
                   it back.",
        },
    ],
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
        "Walk along the chain in a loop. as_task() is None for a future: cancel it, and its end \
         wakes the task that waits. For a task, count the request, and let pass_on(walk) say what \
         the request goes on to. If it's nothing, cancel_at_next_step() sees to the rest.",
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
            sees: "requests to end",
            hint: "Every request counts, even if another one is under way, except those to a \
                   task that's done.",
        },
        Nudge {
            at: "cancelled_in_any_order",
            sees: "cancel() =",
            hint: "cancel() returns whether the task could be asked: true unless it's done.",
        },
        Nudge {
            at: "cancelled_in_any_order",
            sees: "Cancelled",
            hint: "Each task along the way notes the message, and so does the future at the \
                   end.",
        },
        Nudge {
            at: "chains_of_tasks",
            sees: "",
            hint: "A request goes along the whole chain. If the stack overflows, a call for \
                   each task is on it: a loop needs none.",
        },
        Nudge {
            at: "circles_of_tasks",
            sees: "",
            hint: "The tasks wait for each other in a circle. pass_on(walk) returns None when \
                   the same walk comes by again: so take one number for the whole walk.",
        },
    ],
};

pub(super) const JOIN_ALL: Exercise = Exercise {
    number: "6.9",
    name: "join_all",
    task: "Wait until all tasks have ended, and leave none behind.",
    minutes: 15,
    only_here: Some(
        "The servers of this step and the next wait for all of their tasks at once, by counting \
         them.",
    ),
    scenes: &["join_all_leaves_no_task_behind"],
    trials: &["joins_of_any_tasks"],
    hints: &[
        "What can end the await of a future that nothing but your own cancellation cancels?",
        "Await all_done(&tasks) until it returns None. If that fails, you were cancelled: \
         keep the first error, cancel the tasks, and go on waiting.",
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
    nudges: &[
        Nudge {
            at: "join_all_leaves_no_task_behind",
            sees: "",
            hint: "The cancellation ends your await, and not the tasks. Cancel them, and wait \
                   once more until all_done has nothing to wait for.",
        },
        Nudge {
            at: "joins_of_any_tasks",
            sees: "requests to end",
            hint: "Each request that reaches you is passed on once, to all tasks that are \
                   left.",
        },
        Nudge {
            at: "joins_of_any_tasks",
            sees: "join_all returns",
            hint: "Either it's too early and a task is left behind, or these aren't the \
                   results in the order of the tasks. And the first error that you get is the \
                   one to return.",
        },
    ],
};
