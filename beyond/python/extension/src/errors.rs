//! Turns a layer's errors into Python's exceptions.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult, create_exception};

use crate::watchdog::{self, Place};

create_exception!(
    workbook,
    LayerPanic,
    PyRuntimeError,
    "A layer has panicked, perhaps at an exercise that isn't written yet."
);

/// Calls a layer and returns the result. If the layer panics, raises an exception that
/// `except Exception` catches; pyo3 itself would raise an exception that only
/// `except BaseException` catches.
pub(crate) fn calling<T>(layer: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let returned = calling_at(Place::Call, layer);
    watchdog::done();
    returned
}

/// Does what [`calling`] does, but tells the watchdog that the thread is at `place`, and doesn't
/// record the call as finished work.
pub(crate) fn calling_at<T>(place: Place, layer: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let returned = watchdog::at(place, || catch_unwind(AssertUnwindSafe(layer)));
    returned.unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// Turns a panic's payload into an exception with the panic's message.
pub(crate) fn panicked(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    LayerPanic::new_err(text.unwrap_or("a panic without a message").to_owned())
}

/// Turns a layer's error into a Python exception. If a system call failed, the exception is an
/// `OSError`, of the subclass that fits the error number.
pub(crate) fn raise(error: io::Error) -> PyErr {
    let text = error.to_string();
    if let Some(errno) = step03_selector::errno(&error) {
        return PyOSError::new_err((errno, text));
    }
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists => PyKeyError::new_err(text),
        io::ErrorKind::InvalidInput => PyValueError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}
