//! How long to wait, in the only unit that `epoll_wait(2)` and poll(2) know.

use std::time::Duration;

// ANCHOR: milliseconds
/// A timeout as `epoll_wait(2)` wants it: whole milliseconds, −1 for ever.
///
/// Rounded up, never down: a loop that wakes half a millisecond early finds its timer not yet due,
/// asks for the rest, is given 0, and spins until the time has come. What does not fit (25 days)
/// becomes the longest that does.
pub(crate) fn milliseconds(timeout: Option<Duration>) -> libc::c_int {
    let Some(timeout) = timeout else {
        return -1;
    };
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
}
// ANCHOR_END: milliseconds
