//! The list of the library's trials: random programs and boundary values that check the promises of
//! the exercises.

mod accepting;
mod acquiring;
mod calls_of_read;
mod connecting;
mod draining;
mod gatherings;
mod groups;
mod last_bytes;
mod last_calls;
mod limit_verbs;
mod limits;
mod lines;
mod parts;
mod queueing;
mod quiet_transports;
mod reads;
mod receiving;
mod refused_accepts;
mod wakers;

use scene::trials;

trials! {
    gatherings::gatherings,
    groups::groups_that_end,
    limits::limits_in_time,
    acquiring::permits_are_passed_on,
    wakers::permits_and_other_wakers,
    acquiring::locks_of_many_tasks,
    queueing::queues_of_many_tasks,
    accepting::clients_of_a_server,
    refused_accepts::errors_of_accept,
    connecting::attempts_in_turn,
    connecting::ends_of_an_attempt,
    receiving::bytes_that_arrive,
    calls_of_read::calls_of_read,
    draining::writers_that_drain,
    last_bytes::last_bytes_of_a_transport,
    last_calls::last_calls_of_a_transport,
    quiet_transports::transports_that_have_sent_all,
}
