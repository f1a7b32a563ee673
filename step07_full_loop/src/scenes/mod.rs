//! The experiments of step 07, in the order the chapter meets them.

mod exercises;
mod life;
mod network;
mod outside;
mod time;
mod turns;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "how_long_may_it_sleep",
        about: "What timeout does the loop hand to the selector?",
        play: time::how_long_may_it_sleep,
    },
    Scene {
        name: "order_in_a_tick",
        about: "call_later(0), call_soon and sleep(0): who runs first?",
        play: turns::order_in_a_tick,
    },
    Scene {
        name: "a_callback_without_end",
        about: "A callback always schedules itself again: does a readable pipe get its turn?",
        play: turns::a_callback_without_end,
    },
    Scene {
        name: "stop_finishes_the_tick",
        about: "Does stop() keep what is ready from running?",
        play: life::stop_finishes_the_tick,
    },
    Scene {
        name: "one_loop_at_a_time",
        about: "What may not be done to a loop?",
        play: life::one_loop_at_a_time,
    },
    Scene {
        name: "sleepers_wake_in_order",
        about: "Three tasks sleep one second each: how long do they take together?",
        play: time::sleepers_wake_in_order,
    },
    Scene {
        name: "a_cancelled_sleep_leaves_no_timer",
        about: "Who wakes the loop for a sleeper that is gone?",
        play: time::a_cancelled_sleep_leaves_no_timer,
    },
    Scene {
        name: "a_word_from_a_thread",
        about: "A loop sleeps for ever; can a thread reach it?",
        play: outside::a_word_from_a_thread,
    },
    Scene {
        name: "interrupted",
        about: "Ctrl-C arrives: what may main still do?",
        play: outside::interrupted,
    },
    Scene {
        name: "a_slow_reader",
        about: "Sixteen megabytes are written to somebody who does not read: what does the writer do?",
        play: network::a_slow_reader,
    },
    Scene {
        name: "a_conversation",
        about: "Server and clients in one thread: who waits for whom?",
        play: network::a_conversation,
    },
];
