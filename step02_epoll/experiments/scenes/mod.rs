//! The list of step 02's experiments, in the order in which `play` shows them.

mod backpressure;
mod closing;
mod connecting;
mod cpu_time;
mod errors;
mod files;
pub(crate) mod interest_list;
mod pollable;
mod scaling;
mod server;
mod timeouts;
mod triggers;
mod trying;

use std::time::Duration;

use scene::scenes;
use step02_epoll::{Epoll, Events};

scenes! {
    timeouts::whole_milliseconds,
    interest_list::interest_list_entries,
    errors::epoll_ctl_errors,
    timeouts::what_ends_a_wait,
    scaling::one_wait_for_all,
    scaling::more_ready_than_room,
    triggers::level_or_edge,
    triggers::one_shot,
    triggers::registered_for_nothing,
    triggers::an_ignored_hangup,
    pollable::pollable_descriptors,
    pollable::epoll_in_epoll,
    files::files_that_can_wait,
    closing::closed_without_a_delete,
    closing::a_token_as_a_descriptor,
    timeouts::timeout_resolution,
    cpu_time::cpu_time_of_a_wait,
    scaling::idle_descriptors,
    interest_list::descriptors_of_a_loop,
    backpressure::backpressure,
    server::first_loop,
    trying::when_epoll_ctl_is_refused,
    connecting::three_connects,
    connecting::connecting_twice,
    connecting::connected_or_not,
}

/// Waits with a timeout of zero and says which descriptors are ready.
fn ready_now(epoll: &Epoll) -> anyhow::Result<String> {
    let mut events = Events::with_capacity(8);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    Ok(in_words(&events))
}

/// Describes the events of a wait.
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

/// Describes the number of events that a successful wait returned.
fn returned(events: usize) -> String {
    let plural = if events == 1 { "" } else { "s" };
    format!("returned {events} event{plural}")
}
