//! Promises that Python makes and the compiler can't check. This is the only file with `unsafe`.
//!
//! Python's objects belong to the thread that holds the GIL (the global interpreter lock), and so
//! does everything that Python can reach. Step 07's loop is made for one thread, and the compiler
//! doesn't let other threads touch it. But Python may make a loop on one thread, run it on another,
//! and drop it on a third. It never does two of these at once, because each of them requires the
//! GIL.
#![allow(unsafe_code, reason = "each block says what makes it sound")]

use std::os::fd::{BorrowedFd, RawFd};

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

#[cfg(feature = "loop")]
pub(crate) use self::of_the_loop::{Context, Gil};

/// Borrows the descriptor with a number that comes from Python. Fails with `ValueError` if the
/// number is negative.
pub(crate) fn borrow_fd<'a>(fd: RawFd) -> PyResult<BorrowedFd<'a>> {
    if fd < 0 {
        return Err(PyValueError::new_err(format!("Invalid file descriptor: {fd}")));
    }
    // SAFETY: the number isn't -1. The kernel checks whether the descriptor is open: a layer passes
    // the number only to epoll_ctl, where a closed descriptor or someone else's is an error, as in
    // CPython's own selector.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

#[cfg(feature = "loop")]
mod of_the_loop {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    /// A value that only the thread that holds the GIL may touch, whichever thread that is.
    ///
    /// Holding the GIL is enough because of the layers' own rule: they borrow nothing while foreign
    /// code runs, and a thread releases the GIL only in foreign code.
    pub(crate) struct Gil<T>(T);

    // SAFETY: the value is reached only through `get`, with a proof that the caller holds the GIL,
    // or by the garbage collector and a drop, while their thread holds the GIL. No reference can be
    // used while the GIL is released: `Python::detach` rejects closures that contain a `&T` if `T`
    // isn't `Sync`.
    unsafe impl<T> Send for Gil<T> {}
    // SAFETY: as above. Two threads never hold the GIL at once. A Python build without a GIL
    // enables the GIL when it loads this module: pyo3 tells Python that the module needs it.
    unsafe impl<T> Sync for Gil<T> {}

    impl<T> Gil<T> {
        pub(crate) fn new(value: T) -> Self {
            Gil(value)
        }

        pub(crate) fn get<'a>(&'a self, _py: Python<'a>) -> &'a T {
            &self.0
        }

        /// Returns the value like [`get`](Self::get), but only for the garbage collector's
        /// `__traverse__` and for an object's destructor: Python holds the GIL when it calls these
        /// functions, but pyo3 gives them no proof of it.
        pub(crate) fn get_without_proof(&self) -> &T {
            &self.0
        }
    }

    /// A `contextvars.Context` that a handle keeps.
    pub(crate) struct Context(Py<PyAny>);

    impl Context {
        pub(crate) fn of(context: Py<PyAny>) -> Self {
            Context(context)
        }

        pub(crate) fn get(&self) -> &Py<PyAny> {
            &self.0
        }

        /// Returns a copy of the context of the code that's running.
        pub(crate) fn copy_current(py: Python<'_>) -> PyResult<Self> {
            // SAFETY: the call has no arguments, and this thread holds the GIL.
            let copied = unsafe { pyo3::ffi::PyContext_CopyCurrent() };
            // SAFETY: the pointer is a new reference, or null with an exception set.
            let copied = unsafe { Bound::from_owned_ptr_or_err(py, copied) };
            Ok(Context(copied?.unbind()))
        }

        /// Calls a function in this context, like Python's `context.run`.
        pub(crate) fn run<'py>(
            &self,
            function: &Bound<'py, PyAny>,
            args: &Bound<'py, PyTuple>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let py = function.py();
            // SAFETY: the pointer is to a live object, which this handle keeps alive. If the object
            // isn't a context, or the context has already been entered, Python sets an exception.
            if unsafe { pyo3::ffi::PyContext_Enter(self.0.as_ptr()) } < 0 {
                return Err(PyErr::fetch(py));
            }
            let returned = if args.is_empty() { function.call0() } else { function.call1(args) };
            // SAFETY: the context was entered above, on this thread, and contexts entered since
            // were exited.
            if unsafe { pyo3::ffi::PyContext_Exit(self.0.as_ptr()) } < 0 {
                return Err(PyErr::fetch(py));
            }
            returned
        }
    }
}
