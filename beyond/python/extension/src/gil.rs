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
pub(crate) use self::of_the_loop::{Context, Gil, call, call_while_handling};

/// Borrows the descriptor with a number that comes from Python. Fails with `ValueError` if the
/// number is negative.
pub(crate) fn borrow_fd<'a>(fd: RawFd) -> PyResult<BorrowedFd<'a>> {
    if fd < 0 {
        return Err(PyValueError::new_err(format!("Invalid file descriptor: {fd}")));
    }
    // SAFETY: the number isn't -1. The kernel checks whether the descriptor is open: a layer passes
    // the number only to epoll_ctl, where a closed descriptor is an error, and someone else's is at
    // worst watched, but neither read nor closed, as in CPython's own selector.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

#[cfg(feature = "loop")]
mod of_the_loop {
    use std::{mem, ptr, thread};

    use pyo3::ffi;
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
    // enables it for this module (`gil_used` in lib.rs), unless its user insists (`PYTHON_GIL=0`).
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
            let copied = unsafe { ffi::PyContext_CopyCurrent() };
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
            if unsafe { ffi::PyContext_Enter(self.0.as_ptr()) } < 0 {
                return Err(PyErr::fetch(py));
            }
            let returned = call(function, args);
            // SAFETY: the context was entered above, on this thread, and contexts entered since
            // were exited.
            if unsafe { ffi::PyContext_Exit(self.0.as_ptr()) } < 0 {
                return Err(PyErr::fetch(py));
            }
            returned
        }
    }

    // pyo3 declares these functions without `-unwind`.
    unsafe extern "C-unwind" {
        fn PyObject_Call(
            function: *mut ffi::PyObject,
            args: *mut ffi::PyObject,
            keywords: *mut ffi::PyObject,
        ) -> *mut ffi::PyObject;
        fn PyObject_CallNoArgs(function: *mut ffi::PyObject) -> *mut ffi::PyObject;
    }

    /// A thread that drops this value sleeps until the process ends.
    struct SleepsForGood;

    impl Drop for SleepsForGood {
        fn drop(&mut self) {
            loop {
                thread::park();
            }
        }
    }

    /// Calls a Python function.
    ///
    /// A loop can be running in a daemon thread when the program ends. Up to Python 3.13, the
    /// interpreter then ends a thread that asks for the GIL by `pthread_exit`, which unwinds the
    /// thread's stack: through the layers, whose destructors must not run without the GIL. So the
    /// unwinding gets no further than this function. From Python 3.14 on, the interpreter itself
    /// lets such a thread sleep for good.
    pub(crate) fn call<'py>(
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let if_unwound = SleepsForGood;
        let returned = if args.is_empty() {
            // SAFETY: the pointer is to a live object, and this thread holds the GIL.
            unsafe { PyObject_CallNoArgs(function.as_ptr()) }
        } else {
            // SAFETY: as above. The arguments are a tuple, and there are no keywords.
            unsafe { PyObject_Call(function.as_ptr(), args.as_ptr(), ptr::null_mut()) }
        };
        mem::forget(if_unwound);
        // SAFETY: the pointer is a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(function.py(), returned) }
    }

    /// Calls a Python function with an exception as Python's current one, as in an `except` block.
    pub(crate) fn call_while_handling<'py>(
        error: &PyErr,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        // SAFETY: this thread holds the GIL.
        let before = unsafe { ffi::PyErr_GetHandledException() };
        // SAFETY: the pointer is a new reference, or null.
        let before = unsafe { Bound::from_owned_ptr_or_opt(py, before) };
        // SAFETY: the pointer is to a live exception. Python takes a reference of its own.
        unsafe { ffi::PyErr_SetHandledException(error.value(py).as_ptr()) };
        let returned = call(function, args);
        let before = before.as_ref().map_or(ptr::null_mut(), Bound::as_ptr);
        // SAFETY: as above, or null, which stands for no exception.
        unsafe { ffi::PyErr_SetHandledException(before) };
        returned
    }
}
