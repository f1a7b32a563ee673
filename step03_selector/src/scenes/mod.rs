//! The experiments of step 03, in the order the chapter meets them.

mod backends;
mod events;
mod exercises;
mod keys;
mod numbers;
mod readiness;
mod renewal;
mod script;
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
mod sleeper;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "a_place_of_its_own",
        about: "A number is registered, forgotten and registered again. Is it the same registration?",
        play: numbers::a_place_of_its_own,
    },
    Scene {
        name: "yesterdays_token",
        about: "An event is on its way, and its registration ends. Whom does its token find?",
        play: numbers::yesterdays_token,
    },
    Scene {
        name: "what_an_event_means",
        about: "Room, bytes, an end: which of them does the reader hear of, and which the writer?",
        play: events::what_an_event_means,
    },
    Scene {
        name: "a_key_and_its_data",
        about: "What does a selector remember, and what does it refuse?",
        play: keys::a_key_and_its_data,
    },
    Scene {
        name: "where_backends_differ",
        about: "A regular file, and a number that is large: who takes them?",
        play: keys::where_backends_differ,
    },
    Scene {
        name: "who_owns_what",
        about: "A selector is dropped. What is closed with it, and what is not?",
        play: script::who_owns_what,
    },
    Scene {
        name: "forgetting",
        about: "A stranger, a known one, a closed one: what does unregister say to each?",
        play: keys::forgetting,
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
        name: "a_signal_ends_the_sleep",
        about: "A signal comes while nobody is ready. What does select say?",
        play: readiness::a_signal_ends_the_sleep,
    },
    Scene {
        name: "reused_number",
        about: "A descriptor is closed, its number comes back. Whose events are these?",
        play: renewal::reused_number,
    },
    Scene {
        name: "closed_without_a_word",
        about: "A registered descriptor is closed. What becomes of the others, and of its key?",
        play: renewal::closed_without_a_word,
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
    Scene {
        name: "one_script",
        about: "One script on epoll, poll(2) and select(2): how many transcripts?",
        play: script::one_script,
    },
];
