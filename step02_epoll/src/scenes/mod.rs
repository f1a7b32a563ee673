//! The experiments of step 02, in the order the chapter meets them.

mod backpressure;
mod closing;
mod crowd;
mod everything;
mod knowledge;
mod refusals;
mod server;
mod timeouts;
mod triggers;

use std::time::Duration;

use scene::scenes;
use step02_epoll::{Epoll, Events};

scenes! {
    timeouts::whole_milliseconds,
    knowledge::what_epoll_knows,
    refusals::epoll_ctl_errors,
    timeouts::what_ends_a_wait,
    crowd::one_wait_for_all,
    crowd::more_ready_than_room,
    triggers::level_or_edge,
    triggers::one_shot,
    triggers::hangup_unasked,
    triggers::hangup_spins,
    everything::pollable_descriptors,
    refusals::epoll_in_epoll,
    closing::closed_but_still_registered,
    closing::stale_registration_reports_another_pipe,
    timeouts::two_hundred_microseconds,
    crowd::sleeping_costs_no_cpu,
    crowd::idle_costs_nothing,
    knowledge::descriptors_of_a_loop,
    backpressure::backpressure,
    server::first_loop,
}

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
