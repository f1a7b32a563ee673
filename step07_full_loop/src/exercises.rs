//! The exercises of step 07, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "7.1",
        name: "select_timeout",
        task: "Return how long the selector can sleep.",
        minutes: 10,
        only_here: Some("The last step: nothing is built on it."),
        scenes: &["select_timeout_cases"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Three cases: there is work, there is a timer, there is neither. None means forever.",
            "Work is a queue that is not empty, and also a stop that was asked for: the tick that \
             carries it out must not sleep.",
            "self.core.timers.borrow_mut().next_timeout(self.time()) gives the time until the \
             nearest timer, if there is one. Take the smaller of that and LONGEST_SLEEP.",
        ],
    },
    Exercise {
        number: "7.2",
        name: "run_once",
        task: "Write the tick: sleep, collect what happened, run what is ready.",
        minutes: 30,
        only_here: Some("The last step: nothing is built on it."),
        scenes: &["order_in_a_tick", "self_scheduling_callback", "stop_finishes_the_tick"],
        trials: &[],
        nudges: &[],
        hints: &[
            "The order is at the top of the file. Only the last of the five steps runs callbacks \
             and coroutines; the others fill the queue.",
            "The selector takes a Vec and fills it: lend it the one in self.core.events. Ask \
             self.core.clock.sleep_for(...) what the timeout becomes on this loop's clock.",
            "Timeout, select, self.process_event(event)? for each event, self.queue_due_timers(), \
             self.core.queue.run_ready(). Hold no borrow() over the last one: a callback may use \
             the loop.",
        ],
    },
    Exercise {
        number: "7.3",
        name: "run_until_done",
        task: "Run the loop until a task is done, and not a tick longer.",
        minutes: 15,
        only_here: Some("The last step: nothing is built on it."),
        scenes: &["one_loop_at_a_time"],
        trials: &[],
        nudges: &[],
        hints: &[
            "There is no special loop for this. It is run_forever, and a callback that calls stop().",
            "task.add_done_callback(...) can stop a clone of this loop. Afterwards the task can \
             still be pending, if another callback called stop(). That is \
             LoopError::StoppedEarly.",
            "The callback outlives a run that was stopped early, and would stop a later one: let \
             it look at a flag (an Rc<Cell<bool>>) that you clear when run_forever returns.",
        ],
    },
    Exercise {
        number: "7.4",
        name: "sleep",
        task: "Let a task wait for a time without blocking the others.",
        minutes: 15,
        only_here: Some("The last step: nothing is built on it."),
        scenes: &["sleepers_wake_in_order", "a_cancelled_sleep_leaves_no_timer"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A sleep is two things you have already: a future, and a timer that finishes it.",
            "get_running_loop()?.create_future(), a clone of it for the callback of call_later, \
             and an await. A delay of zero is yield_now().",
            "When the task is cancelled the coroutine is dropped here or the await returns an \
             error: either way the timer has to go. Keep a CancelOnDrop(timer) in a variable that \
             lives as long as the await.",
        ],
    },
    Exercise {
        number: "7.5",
        name: "write_all",
        task: "Write all of the bytes, however slowly the other side reads.",
        minutes: 10,
        only_here: Some("The last step: nothing is built on it."),
        scenes: &["slow_reader_holds_the_writer", "echo_conversation"],
        trials: &[],
        nudges: &[],
        hints: &[
            "try_write might take only a part, or nothing. You have to keep what it didn't take.",
            "Before each try, wait for self.readiness.write.ready(): it returns at once while \
             there might be room.",
            "A while loop over `bytes`, which gets shorter by what try_write took: \
             bytes = &bytes[count..].",
        ],
    },
];
