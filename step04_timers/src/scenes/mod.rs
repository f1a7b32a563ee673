//! The experiments of step 04, in the order the chapter meets them.

#![allow(clippy::unnecessary_wraps, reason = "all scenes have one signature")]

mod cancelling;
mod exercises;
mod order;
mod sleeping;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
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
        name: "periodic_without_drift",
        about: "Every second, and each time a little late. Where is the timer after an hour?",
        play: order::periodic_without_drift,
    },
    Scene {
        name: "never_early",
        about: "On a real clock: is a timer ever early? Is it ever exact?",
        play: sleeping::never_early,
    },
    Scene {
        name: "cancel_is_lazy",
        about: "A timer is cancelled. When does it leave the heap?",
        play: cancelling::cancel_is_lazy,
    },
    Scene {
        name: "a_million_cancelled",
        about: "A timeout for each of a million requests, and all are answered in time. What stays?",
        play: cancelling::a_million_cancelled,
    },
];
