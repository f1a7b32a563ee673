//! What a failed wait means to its caller. It has a file of its own because a page of the notebook
//! doesn't get it: it's part of the answer to 2.3.

use std::io;

use step01_fd::CallError;

/// Turns the error of a wait into the wait's outcome: a signal (`EINTR`) is a success without
/// events, and any other error gets the name of its `call`.
pub(crate) fn failed_wait(call: &str, error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(()),
        _ => Err(CallError::wrap(call, error)),
    }
}
