//! The list of step 02's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers may differ in the texts of errors; in whether they ask for EPOLLHUP and EPOLLERR,
//! which the kernel reports anyway; in whether they call `epoll_wait(2)` or `epoll_pwait(2)`; in
//! the order in which a turn serves the listener and the clients; in what becomes of `Events` after
//! an error; in how they ask a socket for its error and its peer, and whether they ask for the
//! error if there's a peer; and in their reaction to EINPROGRESS there, which Linux never reports.

mod broken;
mod broken_loop;
mod connecting;
mod finishing;
mod interest;
mod local_server;
mod readable;
mod server;
mod sleeps;
mod timeouts;
mod turns;
mod waits;

use std::fmt::Debug;
use std::io;

use scene::trials;
use step02_epoll::errno;

/// Counts the layer's allocations.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    timeouts::milliseconds_of_any_timeout,
    interest::bits_of_every_interest,
    waits::ready_descriptors_in_any_order,
    waits::many_are_ready,
    sleeps::sleeps_for_the_whole_timeout,
    sleeps::events_do_not_outlive_their_wait,
    sleeps::waits_cost_one_call,
    readable::readable_or_not,
    turns::a_connection_in_any_order,
    broken::a_client_that_is_gone,
    broken::an_answer_in_parts,
    server::clients_in_any_order,
    server::accepting_goes_on_after_a_pause,
    server::a_crowd_is_served_in_one_turn,
    broken_loop::a_broken_loop_fails,
    connecting::connects_to_any_address,
    connecting::every_answer_of_connect,
    finishing::every_outcome_of_a_connection,
    finishing::questions_that_fail,
}

/// Errors that the kernel can report. EAGAIN and EINTR aren't among them, because these two mean
/// something special to some calls.
const ERRORS: &[i32] = &[
    libc::EPERM,
    libc::ENOENT,
    libc::EIO,
    libc::ENXIO,
    libc::EBADF,
    libc::ENOMEM,
    libc::EACCES,
    libc::EFAULT,
    libc::EBUSY,
    libc::EEXIST,
    libc::EISDIR,
    libc::EINVAL,
    libc::ENFILE,
    libc::EMFILE,
    libc::ENOSPC,
    libc::EPIPE,
    libc::ENOSYS,
    libc::ELOOP,
    libc::ENOTSOCK,
    libc::EOPNOTSUPP,
    libc::ENETDOWN,
    libc::ENETUNREACH,
    libc::ECONNABORTED,
    libc::ECONNRESET,
    libc::ENOTCONN,
    libc::ETIMEDOUT,
    libc::ECONNREFUSED,
    libc::EHOSTUNREACH,
    libc::ESTALE,
    libc::ENOBUFS,
];

/// Describes an error number in the kernel's words.
fn in_words(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words).to_owned()
}

/// Describes the outcome of a call. For an error, it gives the meaning of the errno and not the
/// error's text.
fn outcome<T: Debug>(result: io::Result<T>) -> String {
    match result {
        Ok(value) => format!("Ok({value:?})"),
        Err(error) => match errno(&error) {
            Some(errno) => format!("Err({})", in_words(errno)),
            None => format!("Err({:?}, without an errno)", error.kind()),
        },
    }
}

/// Returns an error with the same errno, or at least of the same kind.
fn same(error: &io::Error) -> io::Error {
    errno(error).map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
