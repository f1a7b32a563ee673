//! The experiments of step 05, in the order the chapter meets them.

mod draining;
mod exercises;
mod signals;
#[allow(dead_code, reason = "this step sends the sleeper no signal")]
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
mod sleeper;
mod waking;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
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
        name: "signal_as_data",
        about: "A signal arrives in one thread, and the loop sleeps in another. Who hears of it?",
        play: signals::signal_as_data,
    },
    Scene {
        name: "not_lost_in_a_full_pipe",
        about: "The pipe is full when a signal comes, so its byte does not fit. Is the signal lost?",
        play: signals::not_lost_in_a_full_pipe,
    },
    Scene {
        name: "errno_survives",
        about: "A call fails, and a handler runs before anybody looks at errno. What does it say?",
        play: signals::errno_survives,
    },
];
