//! What the compiler can't check, and Python's rules promise: the only file with `unsafe`.
#![allow(unsafe_code, reason = "each block says what makes it sound")]

use std::os::fd::{BorrowedFd, RawFd};

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

/// Borrows the descriptor behind a number that Python has. Fails with `ValueError` if it's negative.
pub(crate) fn borrow_fd<'a>(fd: RawFd) -> PyResult<BorrowedFd<'a>> {
    if fd < 0 {
        return Err(PyValueError::new_err(format!("Invalid file descriptor: {fd}")));
    }
    // SAFETY: it isn't -1. Whether it's open is for the kernel to say: a layer hands the number to
    // epoll_ctl and nothing else, and a number that's free or someone else's is an error there, as
    // it is in CPython's own selector.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}
