//! The values that `call_soon` and similar methods return: asyncio's `Handle` and `TimerHandle`.
//!
//! The Python half adds the methods that only describe and compare handles
//! (`package/workbook/event_loop.py`).

use std::cell::{Cell, OnceCell, RefCell};

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::errors::calling;
use crate::event_loop::Core;
use crate::gil::{Context, Gil, call, call_while_handling};

/// A callback with its arguments and its context.
#[pyclass(frozen, subclass, weakref, module = "workbook._loop")]
pub(crate) struct Handle {
    event_loop: Py<Core>,
    context: Context,
    state: Gil<State>,
}

/// The part of a handle that changes when the handle is cancelled.
struct State {
    call: RefCell<Option<Call>>,
    is_cancelled: Cell<bool>,
    notes: OnceCell<Box<Notes>>,
}

/// Information that only debug mode needs. A loop can hold a million handles, so each handle has
/// room only for a pointer to this information.
#[derive(Default)]
struct Notes {
    /// The stack of the Python code that made the handle.
    source_traceback: Option<Py<PyAny>>,
    /// The handle's description, as it was before the handle dropped its callback.
    text: OnceCell<Py<PyAny>>,
}

struct Call {
    callback: Py<PyAny>,
    args: Py<PyTuple>,
}

impl Handle {
    /// Makes a handle. If no context is given, the handle gets a copy of the current context.
    pub(crate) fn of(
        event_loop: &Bound<'_, Core>,
        callback: Bound<'_, PyAny>,
        args: Bound<'_, PyTuple>,
        context: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = event_loop.py();
        let context = match context {
            Some(context) => Context::of(context.unbind()),
            None => Context::copy_current(py)?,
        };
        let is_debug = event_loop.get().shared(py).is_debug.get();
        let notes = OnceCell::new();
        if is_debug {
            let source_traceback = Some(caller(py)?);
            notes.get_or_init(|| Box::new(Notes { source_traceback, text: OnceCell::new() }));
        }
        let state = State {
            call: RefCell::new(Some(Call { callback: callback.unbind(), args: args.unbind() })),
            is_cancelled: Cell::new(false),
            notes,
        };
        Ok(Handle { event_loop: event_loop.clone().unbind(), context, state: Gil::new(state) })
    }

    pub(crate) fn is_cancelled(&self, py: Python<'_>) -> bool {
        self.state.get(py).is_cancelled.get()
    }

    fn is_debug(&self, py: Python<'_>) -> bool {
        self.event_loop.get().shared(py).is_debug.get()
    }

    /// Runs the callback, unless the handle was cancelled. An exception goes to the loop's
    /// exception handler. Fails only with exceptions that end the program and have to leave the
    /// loop.
    pub(crate) fn run(handle: &Bound<'_, Handle>) -> PyResult<()> {
        let (py, it) = (handle.py(), handle.get());
        // We clone the call, since the callback may cancel its own handle.
        let waiting = it
            .state
            .get(py)
            .call
            .borrow()
            .as_ref()
            .map(|call| (call.callback.bind(py).clone(), call.args.bind(py).clone()));
        let Some((callback, args)) = waiting else { return Ok(()) };
        let Err(error) = it.context.run(&callback, &args) else { return Ok(()) };
        if leaves_the_loop(&error, py) {
            return Err(error);
        }
        let reports = it.event_loop.bind(py).getattr(pyo3::intern!(py, "_callback_failed"))?;
        let args = (handle, error.value(py)).into_pyobject(py)?;
        call_while_handling(&error, &reports, &args).map(drop)
    }

    /// Returns a name for this handle in the trace, such as `Task-3: main()`.
    pub(crate) fn name(handle: &Bound<'_, Handle>) -> String {
        let event_loop = handle.get().event_loop.bind(handle.py());
        let name = handle.getattr("_callback");
        let name = name.and_then(|callback| event_loop.call_method1("_name_in_trace", (callback,)));
        // The callback runs even if we can't find a name for it.
        name.and_then(|name| name.extract()).unwrap_or_default()
    }

    /// Runs the callback in debug mode, in which the Python half measures how long the callback
    /// takes.
    pub(crate) fn run_timed(handle: &Bound<'_, Handle>) -> PyResult<()> {
        if handle.get().is_cancelled(handle.py()) {
            return Ok(());
        }
        let event_loop = handle.get().event_loop.bind(handle.py());
        call(&event_loop.getattr("_run_timed")?, &(handle,).into_pyobject(handle.py())?).map(drop)
    }
}

/// Returns true for an exception that the loop mustn't catch.
fn leaves_the_loop(error: &PyErr, py: Python<'_>) -> bool {
    error.is_instance_of::<PySystemExit>(py) || error.is_instance_of::<PyKeyboardInterrupt>(py)
}

/// Returns the stack of the Python code that's calling us.
fn caller(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let frame = py.import("sys")?.call_method1("_getframe", (0,))?;
    let extract = py.import("asyncio.format_helpers")?.getattr("extract_stack")?;
    Ok(extract.call1((frame,))?.unbind())
}

#[pymethods]
impl Handle {
    /// Cancels the callback and drops it, along with everything it holds.
    pub(crate) fn cancel(slf: &Bound<'_, Self>) -> PyResult<()> {
        let (py, it) = (slf.py(), slf.get());
        let state = it.state.get(py);
        if state.is_cancelled.replace(true) {
            return Ok(());
        }
        if it.is_debug(py) {
            let text = slf.repr()?.into_any().unbind();
            state.notes.get_or_init(Box::default).text.get_or_init(|| text);
        }
        // This is a separate statement, since dropping the callback can run Python code, and
        // nothing may be borrowed then.
        let call = state.call.take();
        drop(call);
        Ok(())
    }

    fn cancelled(&self, py: Python<'_>) -> bool {
        self.is_cancelled(py)
    }

    fn get_context(&self, py: Python<'_>) -> Py<PyAny> {
        self.context.get().clone_ref(py)
    }

    /// Calls the callback. asyncio's own code calls this method for handles that it has kept.
    fn _run(slf: &Bound<'_, Self>) -> PyResult<()> {
        Handle::run(slf)
    }

    #[getter]
    fn _callback(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.state.get(py).call.borrow().as_ref().map(|call| call.callback.clone_ref(py))
    }

    #[getter]
    fn _args(&self, py: Python<'_>) -> Option<Py<PyTuple>> {
        self.state.get(py).call.borrow().as_ref().map(|call| call.args.clone_ref(py))
    }

    #[getter]
    fn _cancelled(&self, py: Python<'_>) -> bool {
        self.is_cancelled(py)
    }

    #[getter]
    fn _context(&self, py: Python<'_>) -> Py<PyAny> {
        self.context.get().clone_ref(py)
    }

    #[getter]
    fn _loop(&self, py: Python<'_>) -> Py<Core> {
        self.event_loop.clone_ref(py)
    }

    #[getter]
    fn _source_traceback(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let notes = self.state.get(py).notes.get()?;
        notes.source_traceback.as_ref().map(|traceback| traceback.clone_ref(py))
    }

    #[getter]
    fn _repr(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let notes = self.state.get(py).notes.get()?;
        notes.text.get().map(|text| text.clone_ref(py))
    }

    /// Returns asyncio's class, so that `isinstance(handle, asyncio.Handle)` is true.
    #[getter]
    fn __class__<'a, 'py>(slf: &'a Bound<'py, Self>) -> PyResult<&'a Bound<'py, PyType>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import(slf.py(), "asyncio", "Handle")
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.event_loop)?;
        visit.call(self.context.get())?;
        let state = self.state.get_without_proof();
        if let Some(notes) = state.notes.get() {
            visit.call(&notes.source_traceback)?;
        }
        let Ok(call) = state.call.try_borrow() else { return Ok(()) };
        if let Some(call) = &*call {
            visit.call(&call.callback)?;
            visit.call(&call.args)?;
        }
        Ok(())
    }

    fn __clear__(&self, py: Python<'_>) {
        let call = self.state.get(py).call.take();
        drop(call);
    }
}

/// A callback that waits until it's due.
#[pyclass(frozen, extends = Handle, module = "workbook._loop")]
pub(crate) struct TimerHandle {
    #[pyo3(get, name = "_when")]
    when: f64,
    timer: Gil<RefCell<Option<Timer>>>,
}

/// A timer that was scheduled: the timer in the loop, and the slot of the Python handle.
pub(crate) struct Timer {
    pub(crate) in_the_loop: step07_full_loop::TimerHandle,
    pub(crate) slot: u32,
}

impl TimerHandle {
    pub(crate) fn of(handle: Handle, when: f64) -> PyClassInitializer<Self> {
        PyClassInitializer::from(handle)
            .add_subclass(TimerHandle { when, timer: Gil::new(RefCell::default()) })
    }

    /// Stores the timer, so that `cancel` can cancel it.
    pub(crate) fn is_scheduled(&self, py: Python<'_>, timer: Timer) {
        self.timer.get(py).replace(Some(timer));
    }
}

#[pymethods]
impl TimerHandle {
    /// Cancels the callback, whether or not it's due.
    fn cancel(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let timer = slf.get().timer.get(py).take();
        if let Some(timer) = timer {
            calling(|| {
                timer.in_the_loop.cancel();
                Ok(())
            })?;
            slf.as_super().get().event_loop.get().shared(py).forget(timer.slot, slf.as_any());
        }
        Handle::cancel(slf.as_super())
    }

    /// Returns the time at which the timer is due, on the loop's clock.
    fn when(&self) -> f64 {
        self.when
    }

    #[getter]
    fn _scheduled(slf: &Bound<'_, Self>) -> bool {
        let (py, it) = (slf.py(), slf.get());
        let slot = it.timer.get(py).borrow().as_ref().map(|timer| timer.slot);
        let shared = slf.as_super().get().event_loop.get().shared(py);
        slot.is_some_and(|slot| shared.holds(slot, slf.as_any()))
    }

    /// Returns asyncio's class, so that `isinstance(handle, asyncio.TimerHandle)` is true.
    #[getter]
    fn __class__<'a, 'py>(slf: &'a Bound<'py, Self>) -> PyResult<&'a Bound<'py, PyType>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import(slf.py(), "asyncio", "TimerHandle")
    }
}
