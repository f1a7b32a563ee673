//! The experiments of step 05, in the order the chapter meets them.

mod alarms;
mod allocations;
mod draining;
mod ends;
mod exercises;
mod forking;
mod handlers;
mod interruption;
mod sending;
mod serving;
mod signals;
#[allow(dead_code, reason = "this step sends the sleeper no signal")]
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
mod sleeper;
mod taking;
mod waking;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "neither_end_blocks",
        about: "The pair is empty, and the loop reads; it is full, and somebody wakes. Who sleeps?",
        play: ends::neither_end_blocks,
    },
    Scene {
        name: "deaf_loop",
        about: "A loop is asleep with nothing to wait for. What does it take to reach it?",
        play: waking::deaf_loop,
    },
    Scene {
        name: "wake_before_sleep",
        about: "The news comes a moment before the loop falls asleep. Is it lost?",
        play: waking::wake_before_sleep,
    },
    Scene {
        name: "full_pipe_is_awake_enough",
        about: "A hundred thousand wakes, and nobody reads them. Who blocks, who fails?",
        play: waking::full_pipe_is_awake_enough,
    },
    Scene {
        name: "undrained_loop_spins",
        about: "The loop wakes and leaves the byte where it is. How long does it sleep next?",
        play: draining::undrained_loop_spins,
    },
    Scene {
        name: "many_wakes_one_return",
        about: "Ten threads wake the loop a hundred times each. How often does it wake?",
        play: draining::many_wakes_one_return,
    },
    Scene {
        name: "an_eventfd_beside_a_pair",
        about: "Linux has an alarm of its own. What does it save, and what can it not do?",
        play: alarms::an_eventfd_beside_a_pair,
    },
    Scene {
        name: "first_the_news_then_the_byte",
        about: "The loop looks before the sender's write has returned. What is there?",
        play: sending::first_the_news_then_the_byte,
    },
    Scene {
        name: "one_byte_for_many",
        about: "A thousand values are sent while the loop is busy. How many bytes wake it?",
        play: sending::one_byte_for_many,
    },
    Scene {
        name: "the_loop_is_gone",
        about: "A value was sent, and nobody took it before the loop was gone. Where is it?",
        play: sending::the_loop_is_gone,
    },
    Scene {
        name: "all_that_has_come",
        about: "Three values are sent, then none, then one. What does the loop take each time?",
        play: taking::all_that_has_come,
    },
    Scene {
        name: "a_value_in_the_middle",
        about: "A value is sent while the loop is draining the pipe. Is it found?",
        play: taking::a_value_in_the_middle,
    },
    Scene {
        name: "a_value_that_sends",
        about: "A value sends another one as the loop drops it. Who waits for whom?",
        play: taking::a_value_that_sends,
    },
    Scene {
        name: "eight_hundred_thousand",
        about: "Eight threads send 100,000 values each. How many are lost, or come twice?",
        play: taking::eight_hundred_thousand,
    },
    Scene {
        name: "signal_as_data",
        about: "A signal arrives in one thread, and the loop sleeps in another. Who hears of it?",
        play: signals::signal_as_data,
    },
    Scene {
        name: "signals_while_awake",
        about: "A signal comes while the loop is busy; then a thousand of one kind. What is taken?",
        play: signals::signals_while_awake,
    },
    Scene {
        name: "not_lost_in_a_full_pipe",
        about: "The pipe is full when a signal comes, so its byte finds no room. Is it lost?",
        play: signals::not_lost_in_a_full_pipe,
    },
    Scene {
        name: "first_the_note_then_the_byte",
        about: "The loop looks while the handler is still in its write. Does it find the signal?",
        play: handlers::first_the_note_then_the_byte,
    },
    Scene {
        name: "errno_survives",
        about: "A call fails, and a handler runs before anybody looks at errno. What does it say?",
        play: handlers::errno_survives,
    },
    Scene {
        name: "the_handler_allocates_nothing",
        about: "How many allocations does a signal cost, from its arrival to its handler's end?",
        play: handlers::the_handler_allocates_nothing,
    },
    Scene {
        name: "a_signal_in_the_handler",
        about: "A second signal comes in the middle of the first's handler. Who waits for whom?",
        play: handlers::a_signal_in_the_handler,
    },
    Scene {
        name: "the_end_waits_for_the_handler",
        about: "The loop ends while a handler is about to write to it. To whom does it write?",
        play: handlers::the_end_waits_for_the_handler,
    },
    Scene {
        name: "after_fork",
        about: "A process with a loop forks. Whose alarm is it now?",
        play: forking::after_fork,
    },
    Scene {
        name: "work_from_another_thread",
        about: "Another thread wants to know how many clients there are. How does it ask?",
        play: serving::work_from_another_thread,
    },
    Scene {
        name: "stopped_by_a_signal",
        about: "SIGTERM comes, and a client's bytes have not been read yet. Are they answered?",
        play: serving::stopped_by_a_signal,
    },
];
