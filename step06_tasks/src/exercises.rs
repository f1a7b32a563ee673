//! The exercises of step 06, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "6.1",
        name: "poll",
        task: "Go on with the conversation from where the last poll stopped.",
        minutes: 15,
        only_here: None,
        scenes: &[],
        trials: &[],
        hints: &[
            "Which of the four states has to keep what the client said, and for how long?",
            "Loop over the state: take it out, do what belongs to it, and put the next one in. Where poll_line returns Pending, put the same state back and return.",
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
        nudges: &[],
    },
    Exercise {
        number: "6.2",
        name: "wake_by_ref",
        task: "Wake the task: at once on the loop's own thread, by a message on any other.",
        minutes: 10,
        only_here: None,
        scenes: &[],
        trials: &[],
        hints: &[
            "How many messages does a task need that's woken a thousand times before the loop looks?",
            "current_queue::wake_task says whether it has done the work. If it hasn't, send one message, but only if none is on its way: swap tells you what was there before.",
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
        nudges: &[],
    },
    Exercise {
        number: "6.3",
        name: "poll_result",
        task: "Return the result, or see to it that the waker is scheduled when there is one.",
        minutes: 15,
        only_here: None,
        scenes: &[],
        trials: &[],
        hints: &[
            "Three things can be true when it's polled: a cancellation is being delivered, the future is done, or it's pending. Which comes first?",
            "self.wait says whether this handle has a callback in the list already: then replace it in its place, since the waker can be another one. Otherwise add one. self.begin_wait(id) notes the wait.",
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
        nudges: &[],
    },
    Exercise {
        number: "6.4",
        name: "finish",
        task: "Finish a future, once, and schedule all the callbacks and tasks that wait for it.",
        minutes: 10,
        only_here: None,
        scenes: &["set_result_runs_no_callback"],
        trials: &["a_future_is_finished_once", "what_runs_inside_a_finish"],
        hints: &[
            "A future leaves pending once. What does the second call have to leave as it is?",
            "Look at `outcome` before you write to it. self.schedule(...) puts callbacks into the \
             queue and calls none; take them out of their cell first, so that no borrow lives \
             while they're scheduled.",
            "\
        let state = self.state();
        if state.outcome.borrow().is_some() {
            return Err(Error::InvalidState(\"the future is done already\"));
        }
        state.outcome.replace(Some(outcome));
        let callbacks = state.callbacks.take();
        self.schedule(callbacks);
        Ok(())",
        ],
        nudges: &[
            Nudge {
                at: "set_result_runs_no_callback",
                sees: "is told",
                hint: "A callback ran inside set_result. It could call anything, in the middle of \
                       the caller's work: self.schedule(...) lets it wait for its turn.",
            },
            Nudge {
                at: "a_future_is_finished_once",
                sees: "waiter",
                hint: "Callbacks and wakers wait in one list, and that's their order. The schedule \
                       function takes a list with both.",
            },
            Nudge {
                at: "what_runs_inside_a_finish",
                sees: "finds it pending",
                hint: "A waker ran before the future was done. Set the outcome first, and tell \
                       those that wait second.",
            },
            Nudge {
                at: "what_runs_inside_a_finish",
                sees: "already",
                hint: "A waker or a destructor used the future while your function had one of its \
                       cells borrowed. Let go of the borrow before any of them can run.",
            },
        ],
    },
    Exercise {
        number: "6.5",
        name: "run_ready",
        task: "Run what is ready now, and leave what it schedules for the next round.",
        minutes: 10,
        only_here: None,
        scenes: &["a_round_is_counted"],
        trials: &["every_round_is_counted"],
        hints: &[
            "What if a callback schedules itself again? Your round must still end.",
            "Ask for the length of the queue once, before the first callback runs. Then pop one \
             entry at a time, and let go of the borrow before you call self.run(...): the callback \
             will borrow the queue itself. All the while, the guard of self.enter() has to live.",
            "\
        let _entered = self.enter();
        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(runnable) = next {
                self.run(runnable);
            }
        }
        count",
        ],
        nudges: &[
            Nudge {
                at: "every_round_is_counted",
                sees: "isn't entered",
                hint: "The queue isn't entered while your callbacks run. Is the guard that enter() \
                       returns still alive? `let _ = ...` drops it at once; `let _entered = ...` \
                       keeps it to the end of the function.",
            },
            Nudge {
                at: "every_round_is_counted",
                sees: "already borrowed",
                hint: "A callback couldn't borrow the queue, because your own borrow still lives. \
                       The borrow in the head of an `if let` or a `while let` lives to the end of \
                       its block: take the entry out in a statement of its own.",
            },
            Nudge {
                at: "every_round_is_counted",
                sees: "sent callback",
                hint: "A callback that was sent isn't ready before the queue has taken it: \
                       take_remote and call_soon do that, and a round doesn't.",
            },
        ],
    },
    Exercise {
        number: "6.6",
        name: "step",
        task: "Resume the coroutine to its next unfinished future, and handle the outcome.",
        minutes: 20,
        only_here: None,
        scenes: &["calling_runs_nothing", "does_await_switch", "a_panic_ends_one_task"],
        trials: &[
            "steps_in_any_order",
            "requests_that_a_step_delivers",
            "destructors_use_the_queue",
        ],
        hints: &[
            "A resume has three outcomes: the coroutine waits, it has ended, or it has panicked. \
             And what if the task is woken while it's being resumed?",
            "Take the coroutine out of its cell and call self.control.begin_step() before you \
             resume it; put it back only if it waits. Two moments are for a cancellation: before \
             the resume ask self.is_cancelled_before_its_first_step(), and after Pending call \
             self.control.deliver_late_cancel(). Ends go to self.finish(...).",
            "\
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }",
        ],
        nudges: &[
            Nudge {
                at: "does_await_switch",
                sees: "",
                hint: "If a task stops after its first await: is its coroutine back in the cell, \
                       and did begin_step() come before the resume? A task that's woken while it \
                       runs is queued only if its step has begun.",
            },
            Nudge {
                at: "a_panic_ends_one_task",
                sees: "",
                hint: "self.resume(...) has caught the panic and returns it as Err. The task that \
                       panicked has an end too: Error::panicked(&*panic) makes an error of it.",
            },
            Nudge {
                at: "steps_in_any_order",
                sees: "already",
                hint: "The coroutine used its own task or the queue while you had one of their \
                       cells borrowed. Take the coroutine out of its cell for the resume.",
            },
            Nudge {
                at: "requests_that_a_step_delivers",
                sees: "begins",
                hint: "This task was cancelled before its first step, so nothing of it should run.",
            },
            Nudge {
                at: "requests_that_a_step_delivers",
                sees: "waits",
                hint: "This task was cancelled while it ran, and then waited for a future that no \
                       code finishes. After Pending, the request has to be delivered there.",
            },
        ],
    },
    Exercise {
        number: "6.7",
        name: "queue_messages",
        task: "Put what other threads have sent into the queue.",
        minutes: 10,
        only_here: None,
        scenes: &[],
        trials: &[],
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
    },
    Exercise {
        number: "6.8",
        name: "cancel",
        task: "Ask a task to end: through what it waits for, or at its next resume.",
        minutes: 15,
        only_here: None,
        scenes: &["cancel_is_an_error", "cancelled_before_it_began", "cancel_reaches_inward"],
        trials: &["cancelled_in_any_order"],
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
    },
    Exercise {
        number: "6.9",
        name: "join_all",
        task: "Wait until all tasks have ended, and leave none behind.",
        minutes: 15,
        only_here: None,
        scenes: &[],
        trials: &[],
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
    },
];
