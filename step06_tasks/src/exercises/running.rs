//! What runs, and when: the end of a future, a round, a step.

use scene::{Exercise, Nudge};

pub(super) const FINISH: Exercise = Exercise {
    number: "6.4",
    name: "finish",
    task: "Finish a future, once, and schedule all the callbacks and tasks that wait for it.",
    minutes: 10,
    only_here: None,
    scenes: &["a_future_ends_once"],
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
        Nudge {
            at: "a_future_ends_once",
            sees: "ok = true",
            hint: "The future had its result already, and the second one was accepted. Look \
                   before you write.",
        },
    ],
};

pub(super) const RUN_READY: Exercise = Exercise {
    number: "6.5",
    name: "run_ready",
    task: "Run what is ready now, and leave what it schedules for the next round.",
    minutes: 10,
    only_here: None,
    scenes: &["a_round_is_counted", "set_result_runs_no_callback"],
    trials: &["every_round_is_counted", "what_is_sent_waits"],
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
};

pub(super) const STEP: Exercise = Exercise {
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
        "what_a_task_leaves",
    ],
    hints: &[
        "A resume has three outcomes: the coroutine waits, it has ended, or it has panicked. \
         And what if the task is woken while it's being resumed?",
        "Take the coroutine out of its cell and call self.control.begin_step() before you \
         resume it; put it back only if it waits and self.control.ended is still false. Two moments are for a cancellation: before \
         the resume ask self.cancelled_before_its_first_step(), and after Pending call \
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
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
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
            at: "steps_in_any_order",
            sees: "is over",
            hint: "When is a coroutine dropped? After its end, and also if it clears the queue and \
                   then waits: that ended its task, and in the cell of such a task nothing ever \
                   drops it. Ask self.control.ended before you put it back.",
        },
        Nudge {
            at: "what_a_task_leaves",
            sees: "ClearsTheQueue",
            hint: "A waker has cleared the queue while you delivered the late cancellation, and \
                   that dropped all coroutines except yours, which wasn't in its cell. Put it \
                   back first, and deliver second.",
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
};
