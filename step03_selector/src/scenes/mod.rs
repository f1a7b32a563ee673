//! The experiments of step 03, in the order the chapter meets them.

mod both;
mod exercises;
mod keys;
mod readiness;
mod renewal;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "a_key_and_its_data",
        about: "What does a selector remember, and what does it refuse?",
        play: keys::a_key_and_its_data,
    },
    Scene {
        name: "where_backends_differ",
        about: "epoll refuses a regular file. What does poll(2) say to it?",
        play: keys::where_backends_differ,
    },
    Scene {
        name: "one_select",
        about: "Three wait, two are ready, and for different things. What comes back?",
        play: readiness::one_select,
    },
    Scene {
        name: "hangup_wakes_all",
        about: "The other side goes away. Who wakes: the one who reads or the one who writes?",
        play: readiness::hangup_wakes_all,
    },
    Scene {
        name: "reused_number",
        about: "A descriptor is closed, its number comes back. Whose events are these?",
        play: renewal::reused_number,
    },
    Scene {
        name: "change_of_mind",
        about: "First read, then write: what does modify change, and what does it hand back?",
        play: renewal::change_of_mind,
    },
    Scene {
        name: "unchanged_asks_nobody",
        about: "modify to the interest it has already: is the kernel asked?",
        play: renewal::unchanged_asks_nobody,
    },
];
