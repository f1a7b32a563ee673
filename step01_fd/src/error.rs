//! Errors that name the failed system call and its arguments.
//!
//! A failed call leaves an error number (`errno`), and std turns it into "File exists (os error
//! 17)". An hour later you'll want to know which call failed and on which descriptor. So when a
//! layer's own system call fails, the layer returns an `io::Error` with the original `ErrorKind`
//! and a [`CallError`] inside.

use std::error::Error;
use std::fmt;
use std::io;

/// A failed system call and the kernel's reason.
///
/// Prints as `epoll_ctl ADD fd 5: File exists (os error 17)`. It has no `source()`, because its
/// text already contains the reason; [`errno`] finds the error number.
#[derive(Debug)]
pub struct CallError {
    call: String,
    reason: io::Error,
}

impl CallError {
    /// Wraps `reason` in an error that names the failed call. The error's kind is that of `reason`.
    pub fn wrap(call: impl Into<String>, reason: io::Error) -> io::Error {
        let call = call.into();
        io::Error::new(reason.kind(), CallError { call, reason })
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.reason)
    }
}

impl Error for CallError {}

/// Turns the return value of a system call into a `Result`: −1 means that the call failed.
///
/// Use this right after the call, before other code can overwrite `errno`. The closure builds the
/// call's name and runs only if the call has failed.
///
/// # Errors
///
/// Fails if `returned` is −1. The error consists of the call's name and this thread's `errno`.
///
/// # Examples
///
/// ```
/// let error = step01_fd::check(-1, || "close fd 99".to_string()).unwrap_err();
/// assert!(error.to_string().starts_with("close fd 99: "));
/// ```
pub fn check(returned: libc::c_int, call: impl FnOnce() -> String) -> io::Result<libc::c_int> {
    if returned == -1 {
        let reason = io::Error::last_os_error();
        return Err(CallError::wrap(call(), reason));
    }
    Ok(returned)
}

/// Returns the kernel's error number (`errno(3)`), whether or not the error names its call. Returns
/// `None` if the error carries no such number, for example because no system call caused it.
///
/// ```
/// let error = std::io::Error::from_raw_os_error(17);
/// assert_eq!(step01_fd::errno(&error), Some(17));
/// ```
pub fn errno(error: &io::Error) -> Option<i32> {
    let named = error.get_ref().and_then(|inner| inner.downcast_ref::<CallError>());
    named.map_or(error, |named| &named.reason).raw_os_error()
}
