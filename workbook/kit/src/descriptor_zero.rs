//! Descriptor 0 as an ordinary descriptor, as in a program that's started without standard input.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::check::check;

/// Runs `f` while descriptor 0 is free, so the next new descriptor gets the number 0. Then restores
/// standard input and returns the result of `f`.
pub fn while_zero_is_free<T>(f: impl FnOnce() -> T) -> io::Result<T> {
    let before = io::stdin().as_fd().try_clone_to_owned()?;
    // SAFETY: nothing else in the process uses standard input, and `before` keeps it open.
    check(unsafe { libc::close(0) }, "close fd 0")?;
    let done = f();
    // SAFETY: `f` has closed the descriptor 0 that it created, or no longer needs that descriptor.
    check(unsafe { libc::dup2(before.as_raw_fd(), 0) }, "dup2 onto fd 0")?;
    Ok(done)
}

/// Runs `f` with a duplicate of `object` as descriptor 0 and returns the result of `f`.
pub fn as_descriptor_zero<T>(
    object: impl AsFd,
    f: impl FnOnce(BorrowedFd<'_>) -> T,
) -> io::Result<T> {
    while_zero_is_free(|| {
        // SAFETY: dup takes an integer and touches no memory of ours.
        let zero = check(unsafe { libc::dup(object.as_fd().as_raw_fd()) }, "dup")?;
        // SAFETY: dup has just made the descriptor, and it has no other owner.
        let zero = unsafe { OwnedFd::from_raw_fd(zero) };
        Ok(f(zero.as_fd()))
    })?
}
