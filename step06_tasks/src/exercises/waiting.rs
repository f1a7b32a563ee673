//! What a task needs to wait: a state machine, a waker, a future that's polled.

use scene::{Exercise, Nudge};

pub(super) const POLL: Exercise = Exercise {
    number: "6.1",
    name: "poll",
    task: "Go on with the conversation from where the last poll stopped.",
    minutes: 15,
    only_here: Some(
        "It's a state machine written by hand, so that you know what the compiler writes. From here \
         on, all of them are async functions.",
    ),
    scenes: &["the_same_machine_twice"],
    trials: &["conversations_in_any_order"],
    hints: &[
        "Which of the four states has to keep what the client said, and for how long?",
        "Loop over the state: take it out, do what belongs to it, and put the next one in. \
         Where poll_line returns Pending, put the same state back and return.",
        "\
        loop {
            let state = std::mem::replace(&mut self.state, State::Ended);
            match state {
                State::Start => {
                    self.lines.say(\"What's your name?\");
                    self.state = State::WaitsForName;
                }
                State::WaitsForName => {
                    let Poll::Ready(name) = self.lines.poll_line(context) else {
                        self.state = State::WaitsForName;
                        return Poll::Pending;
                    };
                    let name = name?;
                    self.lines.say(\"And where are you from?\");
                    self.state = State::WaitsForCity { name };
                }
                State::WaitsForCity { name } => {
                    let Poll::Ready(city) = self.lines.poll_line(context) else {
                        self.state = State::WaitsForCity { name };
                        return Poll::Pending;
                    };
                    let city = city?;
                    self.lines.say(&format!(\"Hello {name} from {city}!\"));
                    return Poll::Ready(Ok(name));
                }
                State::Ended => panic!(\"the conversation was polled after its end\"),
            }
        }",
    ],
    nudges: &[
        Nudge {
            at: "the_same_machine_twice",
            sees: "says What",
            hint: "Your machine asks its question again. When it's polled and no line has \
                   arrived, it has to be in the state that waits, not in the one that asks.",
        },
        Nudge {
            at: "conversations_in_any_order",
            sees: "is called",
            hint: "Your poll wakes itself, and then the loop is busy until a line arrives. \
                   poll_line leaves the waker where the next line will find it.",
        },
        Nudge {
            at: "conversations_in_any_order",
            sees: "panics = false",
            hint: "This poll came after the end. Your machine has nothing left to say, and \
                   its caller has made a mistake: let it panic.",
        },
        Nudge {
            at: "conversations_in_any_order",
            sees: "Pending",
            hint: "Your poll stops although more lines have arrived. Go on with the next \
                   state in the same poll, until poll_line has no line: that's also what \
                   leaves the waker.",
        },
    ],
};

pub(super) const WAKE_BY_REF: Exercise = Exercise {
    number: "6.2",
    name: "wake_by_ref",
    task: "Wake the task: at once on the loop's own thread, by a message on any other.",
    minutes: 10,
    only_here: None,
    scenes: &["a_thousand_wakes_one_message"],
    trials: &["wakes_from_anywhere", "a_wake_is_taken_while_it_is_sent"],
    hints: &[
        "How many messages does a task need that's woken a thousand times before the loop \
         looks?",
        "current_queue::wake_task says whether it has done the work. If it hasn't, send one \
         message, but only if none is on its way: swap tells you what was there before.",
        "\
        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        // AcqRel: a thread that finds `true` leaves its wake-up to the message of another one, so
        // the queue, which acquires when it takes that message, has to see what both have written.
        if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }",
    ],
    nudges: &[
        Nudge {
            at: "a_thousand_wakes_one_message",
            sees: "sent: 1000",
            hint: "Each wake-up sends a message. Is one on its way already? is_sent can tell \
                   you, and swap asks and answers in one step.",
        },
        Nudge {
            at: "a_thousand_wakes_one_message",
            sees: "sent: 0",
            hint: "A thread's wake-up got lost. On another thread, current_queue::wake_task \
                   returns false, and has done nothing.",
        },
        Nudge {
            at: "a_thousand_wakes_one_message",
            sees: "",
            hint: "On the queue's own thread, current_queue::wake_task has done all there is \
                   to do.",
        },
        Nudge {
            at: "wakes_from_anywhere",
            sees: "sent: 0",
            hint: "A wake-up got lost. The flag says that a message is on its way, so set it \
                   only if you then send one.",
        },
        Nudge {
            at: "a_wake_is_taken_while_it_is_sent",
            sees: "",
            hint: "The queue took your message before you set the flag. From then on, the \
                   flag says that a message is on its way, and none is. Set it first, and \
                   send second.",
        },
    ],
};

pub(super) const POLL_RESULT: Exercise = Exercise {
    number: "6.3",
    name: "poll_result",
    task: "Return the result, or see to it that the waker is scheduled when there is one.",
    minutes: 15,
    only_here: None,
    scenes: &["who_waits_for_a_future"],
    trials: &[
        "polls_in_any_order",
        "a_handle_is_polled_a_thousand_times",
        "what_runs_inside_a_poll",
    ],
    hints: &[
        "Three things can be true when it's polled: a cancellation is being delivered, the \
         future is done, or it's pending. Which comes first?",
        "self.wait says whether this handle has a callback in the list already: then replace \
         it in its place, since the waker can be another one. Otherwise add one. \
         self.begin_wait(id) notes the wait.",
        "\
        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending",
    ],
    nudges: &[
        Nudge {
            at: "who_waits_for_a_future",
            sees: "",
            hint: "A handle that polls again doesn't wait twice, but perhaps with another \
                   waker. Its id in self.wait says which entry to replace.",
        },
        Nudge {
            at: "polls_in_any_order",
            sees: "Task exception",
            hint: "A task had ended, and its last handle was dropped, but a handle to the future \
                   that it had waited for still kept it. When a poll returns the result, the wait \
                   is over: self.wait becomes None.",
        },
        Nudge {
            at: "what_runs_inside_a_poll",
            sees: "already",
            hint: "A waker's clone or its destructor used the future while your borrow of its \
                   callbacks lived. Make the entry before you borrow them, in a statement of its \
                   own; replace_callback drops the old one when nothing is borrowed.",
        },
        Nudge {
            at: "polls_in_any_order",
            sees: "reported",
            hint: "An error that a poll has returned was retrieved, so it needn't be \
                   reported. self.result() takes note of that.",
        },
        Nudge {
            at: "polls_in_any_order",
            sees: "Ready(Err(Cancelled",
            hint: "The cancellation goes to the task, and the future stays as it is. Ask \
                   check_cancelled() before you do anything else.",
        },
        Nudge {
            at: "polls_in_any_order",
            sees: "Pending",
            hint: "There was something to return: a cancellation that's being delivered, or \
                   the result of a future that's done.",
        },
        Nudge {
            at: "a_handle_is_polled_a_thousand_times",
            sees: "",
            hint: "The list grows with each poll. A handle that waits already has an entry \
                   there.",
        },
    ],
};
