//! Errors that name the system call, like the errors from `step01_fd::check`.

use std::io;

/// Returns a call's result. If the result is −1, fails with the error in `errno`, preceded by the
/// call's name.
pub(crate) fn check(returned: libc::c_int, call: &str) -> io::Result<libc::c_int> {
    if returned == -1 {
        let reason = io::Error::last_os_error();
        return Err(io::Error::new(reason.kind(), format!("{call}: {reason}")));
    }
    Ok(returned)
}
