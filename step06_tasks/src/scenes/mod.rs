//! The experiments of step 06, in the order the chapter meets them.

mod cancelling;
mod coroutines;
mod exercises;
mod futures;
mod waking;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "a_round_is_counted",
        about: "A callback schedules a callback: does that one run in the same round?",
        play: futures::a_round_is_counted,
    },
    Scene {
        name: "finishing_runs_nobody",
        about: "Who runs inside set_result?",
        play: futures::finishing_runs_nobody,
    },
    Scene {
        name: "calling_runs_nothing",
        about: "When does the first line of an async function run?",
        play: coroutines::calling_runs_nothing,
    },
    Scene {
        name: "does_await_switch",
        about: "Does every await let somebody else run?",
        play: coroutines::does_await_switch,
    },
    Scene {
        name: "nobody_holds_the_task",
        about: "What becomes of a task whose handle is dropped?",
        play: coroutines::nobody_holds_the_task,
    },
    Scene {
        name: "cancel_is_an_error",
        about: "Does cancel() end a task?",
        play: cancelling::cancel_is_an_error,
    },
    Scene {
        name: "cancelled_before_it_began",
        about: "What runs of a task that is cancelled before its first step?",
        play: cancelling::cancelled_before_it_began,
    },
    Scene {
        name: "cancel_reaches_inward",
        about: "A task awaits another and is cancelled: which of the two hears it first?",
        play: cancelling::cancel_reaches_inward,
    },
    Scene {
        name: "a_panic_ends_one_task",
        about: "What does a panic in one task do to the others?",
        play: coroutines::a_panic_ends_one_task,
    },
    Scene {
        name: "woken_from_a_thread",
        about: "Another thread hands over a thousand callbacks: how often is the loop woken?",
        play: waking::woken_from_a_thread,
    },
];
