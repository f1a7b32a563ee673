//! The experiments of step 04, in the order the chapter meets them.

#![allow(clippy::unnecessary_wraps, reason = "all scenes have one signature")]

mod cancelling;
mod clocks;
mod due;
mod exercises;
mod loops;
mod milliseconds;
mod order;
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
#[allow(dead_code, reason = "no scene here sends signals")]
mod sleeper;
mod sleeping;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "a_clock_from_zero",
        about: "A clock for a loop is started. What does it show, and how does it go on?",
        play: clocks::a_clock_from_zero,
    },
    Scene {
        name: "greatest_on_top",
        about: "std's heap hands out the greatest first. Which timer is that?",
        play: order::greatest_on_top,
    },
    Scene {
        name: "cancel_is_lazy",
        about: "A timer is cancelled. What becomes of its entry in the heap?",
        play: cancelling::cancel_is_lazy,
    },
    Scene {
        name: "a_hundred_thousand_cancels",
        about: "A hundred thousand are cancelled, the last one first. Who looks for them?",
        play: cancelling::a_hundred_thousand_cancels,
    },
    Scene {
        name: "nearest_first",
        about: "Timers are made in any order. In which do they fire?",
        play: order::nearest_first,
    },
    Scene {
        name: "equal_deadlines",
        about: "Eight timers for the same moment. Who is first?",
        play: order::equal_deadlines,
    },
    Scene {
        name: "due_to_the_nanosecond",
        about: "A nanosecond early, on time, an hour late: which of them is due?",
        play: due::due_to_the_nanosecond,
    },
    Scene {
        name: "before_at_and_after",
        about: "Cancelled before its time, in its moment and afterwards: does it fire?",
        play: due::before_at_and_after,
    },
    Scene {
        name: "a_timer_sets_a_timer",
        about: "A timer sets a timer that is due already. When does the loop look at the pipe?",
        play: due::a_timer_sets_a_timer,
    },
    Scene {
        name: "what_a_sweep_leaves",
        about: "How many must be cancelled for a sweep, and is the rest still in order?",
        play: cancelling::what_a_sweep_leaves,
    },
    Scene {
        name: "how_long_may_i_sleep",
        about: "Never, for a while, or for ever: what does the heap tell the wait?",
        play: sleeping::how_long_may_i_sleep,
    },
    Scene {
        name: "early_event",
        about: "Bytes arrive long before the timer is due. How long does the loop sleep next?",
        play: sleeping::early_event,
    },
    Scene {
        name: "never_early",
        about: "On a real clock: is a timer ever early? Is it ever exact?",
        play: sleeping::never_early,
    },
    Scene {
        name: "a_million_cancelled",
        about: "A timeout for each of a million requests, and all are answered in time. What stays?",
        play: cancelling::a_million_cancelled,
    },
    Scene {
        name: "the_wall_clock_is_set",
        about: "Somebody sets the wall clock back by an hour. When does a timer of ten seconds fire?",
        play: clocks::the_wall_clock_is_set,
    },
    Scene {
        name: "the_millisecond_lie",
        about: "A timer in 200 µs, and a wait that counts milliseconds. How many waits does it take?",
        play: milliseconds::the_millisecond_lie,
    },
    Scene {
        name: "fifty_days",
        about: "A timer in fifty days, and a timeout that ends at 24.8. When does it fire?",
        play: milliseconds::fifty_days,
    },
    Scene {
        name: "a_toy_loop_and_a_loop",
        about: "Sleep 10 ms and look, or ask the heap: what does an idle minute cost?",
        play: loops::a_toy_loop_and_a_loop,
    },
    Scene {
        name: "a_sleep_is_an_entry",
        about: "Three sleep, and bytes come. Who is kept waiting?",
        play: loops::a_sleep_is_an_entry,
    },
    Scene {
        name: "periodic_without_drift",
        about: "Every second, and each time a little late. Where is the timer after an hour?",
        play: order::periodic_without_drift,
    },
    Scene {
        name: "a_minute_of_silence",
        about: "Ten thousand clients may be silent for a minute. What does each byte cost?",
        play: loops::a_minute_of_silence,
    },
];
