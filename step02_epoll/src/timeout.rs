//! Timeouts in the unit that `epoll_wait(2)` and poll(2) share.

use std::time::Duration;

// ANCHOR: milliseconds
/// Converts a timeout to whole milliseconds for `epoll_wait(2)`; `None` (forever) becomes −1.
///
/// A timeout of whole milliseconds stays as it is; any other timeout is rounded up. If it were
/// rounded down, a loop could wake half a millisecond early, find that its timer isn't due, round
/// the rest down to 0 and spin until the timer is due. A timeout that doesn't fit into a `c_int`
/// (25 days, for example) becomes the longest that fits.
pub fn milliseconds(timeout: Option<Duration>) -> libc::c_int {
    let Some(timeout) = timeout else {
        return -1;
    };
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
}
// ANCHOR_END: milliseconds
