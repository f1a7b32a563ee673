//! Errors that name the system call, as `step01_fd::check` makes them.

use std::io;

/// Turns −1 into the error that `errno` holds, with the name of the call before it.
pub(crate) fn check(returned: libc::c_int, call: &str) -> io::Result<libc::c_int> {
    if returned == -1 {
        let reason = io::Error::last_os_error();
        return Err(io::Error::new(reason.kind(), format!("{call}: {reason}")));
    }
    Ok(returned)
}
