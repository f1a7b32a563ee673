//! The exercises of step 06, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "6.1",
        name: "run_ready",
        task: "Run what is ready now, and leave what it schedules for the next round.",
        minutes: 10,
        only_here: None,
        scenes: &["a_round_is_counted"],
        trials: &[],
        nudges: &[],
        hints: &[
            "What if a callback schedules itself again? Your round must still end.",
            "Ask for the length of the queue once, before the first callback runs.",
            "Pop one entry at a time, and let go of the borrow before you call self.run(ready): \
             the callback will borrow the queue itself. Keep the guard of self.enter() alive all \
             the while, and return the length you took.",
        ],
    },
    Exercise {
        number: "6.2",
        name: "finish",
        task: "Finish a future, once, and schedule all the callbacks and tasks that wait for it.",
        minutes: 10,
        only_here: None,
        scenes: &["set_result_runs_no_callback"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A future leaves pending once: look at `outcome` before you write to it.",
            "No callback is called from here. self.schedule(callbacks) puts them into the queue.",
            "Store the outcome, take the callbacks out of their cell (`self.callbacks.take()`), \
             then schedule them; a borrow that is still held when they are scheduled will panic \
             one day.",
        ],
    },
    Exercise {
        number: "6.3",
        name: "step",
        task: "Resume the coroutine to its next unfinished future, and handle the outcome.",
        minutes: 20,
        only_here: None,
        scenes: &["calling_runs_nothing", "does_await_switch", "a_panic_ends_one_task"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A resume has three outcomes: the coroutine waits, it has ended, or it has panicked.",
            "Take the coroutine out of its cell and call self.control.begin_step() before you \
             resume it; put it back only if it waits.",
            "self.resume(coroutine.as_mut()) gives Ok(Poll::Pending), Ok(Poll::Ready(result)) or \
             Err(panic). Ends go to self.finish; Error::panicked(&*panic) makes an error of a \
             panic. Before the resume ask self.is_cancelled_before_its_first_step(), and after \
             Pending call self.control.deliver_late_cancel().",
        ],
    },
    Exercise {
        number: "6.4",
        name: "cancel",
        task: "Ask a task to end: through what it waits for, or at its next resume.",
        minutes: 15,
        only_here: None,
        scenes: &["cancel_is_an_error", "cancelled_before_it_began", "cancel_reaches_inward"],
        trials: &[],
        nudges: &[],
        hints: &[
            "You don't end the task here. You only make sure that the cancellation reaches it.",
            "If what it waits for can be cancelled, that is all: its end wakes the task. \
             self.cancel_what_it_waits_for() says whether it could.",
            "If not, self.cancel_at_next_step() sees to the rest. Count the request in either case, \
             and return false only for a task that is done.",
        ],
    },
];
