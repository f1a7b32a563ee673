//! The experiments of step 02, in the order the chapter meets them.

mod backpressure;
mod closing;
mod crowd;
mod everything;
mod exercises;
mod knowledge;
#[path = "../../../step01_fd/src/scenes/objects.rs"]
mod objects;
mod refusals;
mod server;
#[path = "../../../step01_fd/src/scenes/sleeper.rs"]
mod sleeper;
mod timeouts;
mod triggers;

use std::time::Duration;

pub(crate) use exercises::EXERCISES;
use step02_epoll::{Epoll, Events};
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "whole_milliseconds",
        about: "A wait counts in milliseconds. What becomes of 200 µs, and of for ever?",
        play: timeouts::whole_milliseconds,
    },
    Scene {
        name: "what_epoll_knows",
        about: "What does the kernel keep for each descriptor on the list?",
        play: knowledge::what_epoll_knows,
    },
    Scene {
        name: "refused",
        about: "What does epoll not take, and how does it say so?",
        play: refusals::refused,
    },
    Scene {
        name: "how_long_is_a_wait",
        about: "What ends a wait?",
        play: timeouts::how_long_is_a_wait,
    },
    Scene {
        name: "one_wait_for_all",
        about: "A hundred pipes are silent. How many waits does it take to hear the one that speaks?",
        play: crowd::one_wait_for_all,
    },
    Scene {
        name: "more_ready_than_room",
        about: "Five are ready, and there is room for two. Who is told?",
        play: crowd::more_ready_than_room,
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
        name: "hangup_spins",
        about: "And if nobody does anything about it?",
        play: triggers::hangup_spins,
    },
    Scene {
        name: "what_can_be_waited_for",
        about: "What else can be waited for?",
        play: everything::what_can_be_waited_for,
    },
    Scene {
        name: "epoll_in_epoll",
        about: "Can an epoll wait for another one?",
        play: refusals::epoll_in_epoll,
    },
    Scene {
        name: "closed_but_not_gone",
        about: "A registered descriptor is closed. Is it off the list?",
        play: closing::closed_but_not_gone,
    },
    Scene {
        name: "told_of_a_stranger",
        about: "And if its number means something else by then?",
        play: closing::told_of_a_stranger,
    },
    Scene {
        name: "two_hundred_microseconds",
        about: "Can one sleep for less than a millisecond at all?",
        play: timeouts::two_hundred_microseconds,
    },
    Scene { name: "asleep", about: "What does a thread cost that waits?", play: crowd::asleep },
    Scene {
        name: "idle_costs_nothing",
        about: "One is ready. What do those cost that are not?",
        play: crowd::idle_costs_nothing,
    },
    Scene {
        name: "what_a_loop_has_open",
        about: "What does a loop have open before it serves anybody?",
        play: knowledge::what_a_loop_has_open,
    },
    Scene {
        name: "backpressure",
        about: "A client sends and sends and never reads. Where do its bytes pile up?",
        play: backpressure::backpressure,
    },
    Scene {
        name: "first_loop",
        about: "One thread, several clients, most of them silent. Who is served?",
        play: server::first_loop,
    },
];

/// What is ready now, without waiting.
fn look(epoll: &Epoll) -> anyhow::Result<String> {
    let mut events = Events::with_capacity(8);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    Ok(in_words(&events))
}

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
