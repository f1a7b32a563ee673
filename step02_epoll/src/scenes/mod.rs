//! The experiments of step 02, in the order the chapter meets them.

mod backpressure;
mod exercises;
mod refusals;
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
mod sleeper;
mod timeouts;
mod triggers;

pub(crate) use exercises::EXERCISES;
use step02_epoll::Events;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "how_long_is_a_wait",
        about: "epoll_wait counts in milliseconds. What becomes of 200 µs, and of for ever?",
        play: timeouts::how_long_is_a_wait,
    },
    Scene {
        name: "level_or_edge",
        about: "Half of the bytes are read, half are not. Who hears of the rest?",
        play: triggers::level_or_edge,
    },
    Scene {
        name: "one_shot",
        about: "Told once and then never: until when?",
        play: triggers::one_shot,
    },
    Scene {
        name: "hangup_unasked",
        about: "Nobody asked about anything, and the other side goes away. Who is told?",
        play: triggers::hangup_unasked,
    },
    Scene {
        name: "refused",
        about: "What does epoll not take, and how does it say so?",
        play: refusals::refused,
    },
    Scene {
        name: "closed_but_not_gone",
        about: "A registered descriptor is closed. Is it off the list?",
        play: refusals::closed_but_not_gone,
    },
    Scene {
        name: "backpressure",
        about: "A client sends and sends and never reads. Where do its bytes pile up?",
        play: backpressure::backpressure,
    },
];

/// What a wait brought, in words.
fn in_words(events: &Events) -> String {
    let mut words = Vec::new();
    for event in events {
        let facts = [
            (event.is_readable(), "readable"),
            (event.is_writable(), "writable"),
            (event.is_read_hangup(), "read hang-up"),
            (event.is_hangup(), "hang-up"),
            (event.is_error(), "error"),
        ];
        let facts = facts.iter().filter(|(holds, _)| *holds);
        let facts: Vec<&str> = facts.map(|(_, fact)| *fact).collect();
        words.push(facts.join(" + "));
    }
    if words.is_empty() {
        return "nothing".to_string();
    }
    words.join(", ")
}
