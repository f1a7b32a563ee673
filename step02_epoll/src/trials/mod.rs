//! The list of step 02's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers may differ in the texts of errors; in whether they ask for EPOLLHUP and EPOLLERR,
//! which the kernel reports anyway; in which relative of `epoll_wait(2)` they call; in the order in
//! which a turn serves the listener and the clients; and in what becomes of `Events` after an error.

mod interest;
mod local_server;
mod readable;
mod server;
mod timeouts;
mod turns;
mod waits;

use std::fmt::Debug;
use std::io;

use scene::trials;
use step02_epoll::errno;

/// Counts what the layer allocates.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    timeouts::milliseconds_of_any_timeout,
    interest::bits_of_every_interest,
    waits::ready_descriptors_in_any_order,
    waits::sleeps_for_the_whole_timeout,
    waits::events_do_not_outlive_their_wait,
    waits::waits_cost_one_call,
    readable::readable_or_not,
    turns::a_connection_in_any_order,
    turns::a_client_that_is_gone,
    server::clients_in_any_order,
    server::accepting_goes_on_after_a_pause,
    server::a_broken_loop_fails,
}

/// Describes the outcome of a call. Of an error it names the kind of its errno, and not its text.
fn outcome<T: Debug>(result: io::Result<T>) -> String {
    match result {
        Ok(value) => format!("Ok({value:?})"),
        Err(error) => match errno(&error) {
            Some(errno) => format!("Err({:?})", io::Error::from_raw_os_error(errno).kind()),
            None => format!("Err({:?}, without an errno)", error.kind()),
        },
    }
}
