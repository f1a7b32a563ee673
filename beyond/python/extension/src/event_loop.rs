//! The half of `workbook.EventLoop` that's written in Rust. In it, step 07's loop takes the place
//! of asyncio's `_run_once`, `_ready`, `_scheduled` and selector. Other threads wake it through its
//! own self-pipe; asyncio's remains for signals.

use std::os::fd::RawFd;
use std::rc::Rc;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use step07_full_loop::Time;

use crate::errors::{calling, calling_at};
use crate::gil::Gil;
use crate::handle::{Handle, Timer, TimerHandle};
use crate::shared::{Direction, Shared, refusal};
use crate::watchdog::Place;

type Handles = (Option<Py<Handle>>, Option<Py<Handle>>);

/// Step 07's loop, as a base of the Python class `workbook.EventLoop`, whose other base is
/// asyncio's `SelectorEventLoop`. The methods of `Core` replace asyncio's methods of the same
/// names.
#[pyclass(frozen, subclass, module = "workbook._loop")]
pub(crate) struct Core {
    shared: Gil<Rc<Shared>>,
}

impl Core {
    pub(crate) fn shared<'a>(&'a self, py: Python<'a>) -> &'a Rc<Shared> {
        self.shared.get(py)
    }
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Ok(Core { shared: Gil::new(Shared::new()?) })
    }

    #[pyo3(signature = (callback, *args, context=None))]
    fn call_soon<'py>(
        slf: &Bound<'py, Self>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Handle>> {
        let shared = slf.get().shared(slf.py());
        check_call(slf, &callback, "call_soon", true)?;
        let (handle, slot) = Core::keep(slf, callback, args, context)?;
        let called = Rc::clone(shared);
        let scheduled = calling(|| {
            shared.event_loop.call_soon(move || called.run_once(slot));
            Ok(())
        });
        shared.or_forget(scheduled, slot)?;
        Ok(handle)
    }

    #[pyo3(signature = (callback, *args, context=None))]
    fn call_soon_threadsafe<'py>(
        slf: &Bound<'py, Self>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Handle>> {
        let shared = slf.get().shared(slf.py());
        check_call(slf, &callback, "call_soon_threadsafe", false)?;
        let (handle, slot) = Core::keep(slf, callback, args, context)?;
        let called = Gil::new(Rc::clone(shared));
        let scheduled = calling(|| {
            let call = move || Python::attach(|py| called.get(py).run_once(slot));
            shared.remote.call_soon_threadsafe(call).map_err(refusal)
        });
        shared.or_forget(scheduled, slot)?;
        Ok(handle)
    }

    #[pyo3(signature = (delay, callback, *args, context=None))]
    fn call_later<'py>(
        slf: &Bound<'py, Self>,
        delay: Option<f64>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, TimerHandle>> {
        let Some(delay) = delay else {
            return Err(PyTypeError::new_err("delay must not be None"));
        };
        let when = slf.get().time(slf.py())? + delay;
        Core::schedule(slf, when, callback, args, context)
    }

    #[pyo3(signature = (when, callback, *args, context=None))]
    fn call_at<'py>(
        slf: &Bound<'py, Self>,
        when: Option<f64>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, TimerHandle>> {
        let Some(when) = when else {
            return Err(PyTypeError::new_err("when cannot be None"));
        };
        Core::schedule(slf, when, callback, args, context)
    }

    /// Returns the loop's time in seconds, which is `time.monotonic()`.
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        calling(|| Ok(seconds(self.shared(py).event_loop.time())))
    }

    #[pyo3(signature = (fd, callback, *args, context=None))]
    fn _add_reader<'py>(
        slf: &Bound<'py, Self>,
        fd: &Bound<'py, PyAny>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Handle>> {
        Core::watch(slf, fd, Direction::Read, callback, args, context)
    }

    #[pyo3(signature = (fd, callback, *args, context=None))]
    fn _add_writer<'py>(
        slf: &Bound<'py, Self>,
        fd: &Bound<'py, PyAny>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Handle>> {
        Core::watch(slf, fd, Direction::Write, callback, args, context)
    }

    fn _remove_reader(slf: &Bound<'_, Self>, fd: &Bound<'_, PyAny>) -> PyResult<bool> {
        let shared = slf.get().shared(slf.py());
        shared.unwatch(slf.py(), known_number_of(shared, fd)?, Direction::Read)
    }

    fn _remove_writer(slf: &Bound<'_, Self>, fd: &Bound<'_, PyAny>) -> PyResult<bool> {
        let shared = slf.get().shared(slf.py());
        shared.unwatch(slf.py(), known_number_of(shared, fd)?, Direction::Write)
    }

    /// Returns the handles of a descriptor's reader and writer, with `None` for a handle that's
    /// missing.
    fn _watched(slf: &Bound<'_, Self>, fd: &Bound<'_, PyAny>) -> PyResult<Handles> {
        let (py, shared) = (slf.py(), slf.get().shared(slf.py()));
        let fd = known_number_of(shared, fd)?;
        let watched = shared.watched.borrow().get(&fd).map_or([None; 2], |it| it.slots);
        let slots = shared.slots.borrow();
        let [reader, writer] =
            watched.map(|slot| slot.and_then(|slot| slots.get(slot)).map(|it| it.clone_ref(py)));
        Ok((reader, writer))
    }

    /// Runs ticks until the loop is stopped. asyncio expects a single tick and calls this method
    /// again until the loop is stopped.
    fn _run_once(&self, py: Python<'_>) -> PyResult<()> {
        let shared = Rc::clone(self.shared(py));
        let ended = calling_at(Place::Tick, || shared.event_loop.run_forever().map_err(refusal));
        match shared.leaving.take() {
            Some(error) => Err(error),
            None => ended,
        }
    }

    /// Wakes the loop. Any thread may call this method.
    fn _write_to_self(&self, py: Python<'_>) -> PyResult<()> {
        calling(|| {
            self.shared(py).waker.wake();
            Ok(())
        })
    }

    // asyncio's private fields, which its methods read and set. These functions pass each access on
    // to the loop.

    #[getter]
    fn _debug(&self, py: Python<'_>) -> bool {
        self.shared(py).is_debug.get()
    }

    #[setter(_debug)]
    fn set_debug(&self, py: Python<'_>, is_on: &Bound<'_, PyAny>) -> PyResult<()> {
        self.shared(py).is_debug.set(is_on.is_truthy()?);
        Ok(())
    }

    #[getter]
    fn _stopping(&self, py: Python<'_>) -> bool {
        self.shared(py).is_stopping.get()
    }

    #[setter(_stopping)]
    fn set_stopping(&self, py: Python<'_>, is_stopping: bool) {
        let shared = self.shared(py);
        shared.is_stopping.set(is_stopping);
        if is_stopping {
            shared.event_loop.stop();
        }
    }

    #[getter]
    fn _closed(&self, py: Python<'_>) -> bool {
        self.shared(py).event_loop.is_closed()
    }

    #[setter(_closed)]
    fn set_closed(&self, py: Python<'_>, is_closed: bool) -> PyResult<()> {
        let shared = Rc::clone(self.shared(py));
        if is_closed {
            calling(|| {
                shared.close();
                Ok(())
            })?;
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // If the list is borrowed, we visit no handles, and a later collection finds them.
        let shared = self.shared.get_without_proof();
        let Ok(slots) = shared.slots.try_borrow() else { return Ok(()) };
        slots.iter().try_for_each(|handle| visit.call(handle))?;
        let Ok(watched) = shared.watched.try_borrow() else { return Ok(()) };
        watched.values().try_for_each(|it| visit.call(&it.named_by))
    }

    fn __clear__(&self, py: Python<'_>) {
        self.shared(py).close();
    }
}

impl Core {
    /// Makes a handle for a callback that should run soon and keeps the handle until the callback
    /// runs. Returns the handle and its slot.
    fn keep<'py>(
        slf: &Bound<'py, Self>,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, Handle>, u32)> {
        let shared = slf.get().shared(slf.py());
        let handle = Bound::new(slf.py(), Handle::of(slf, callback, args, context)?)?;
        let slot = shared.keep(&handle);
        shared.expect(slot, None);
        Ok((handle, slot))
    }

    fn schedule<'py>(
        slf: &Bound<'py, Self>,
        when: f64,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, TimerHandle>> {
        let (py, shared) = (slf.py(), slf.get().shared(slf.py()));
        check_call(slf, &callback, "call_at", true)?;
        let handle = TimerHandle::of(Handle::of(slf, callback, args, context)?, when);
        let handle = Bound::new(py, handle)?;
        let (called, slot) = (Rc::clone(shared), shared.keep(handle.as_super()));
        shared.expect(slot, Some(time_of(when)));
        let scheduled =
            calling(|| Ok(shared.event_loop.call_at(time_of(when), move || called.run_once(slot))));
        let in_the_loop = shared.or_forget(scheduled, slot)?;
        handle.get().is_scheduled(py, Timer { in_the_loop, slot });
        Ok(handle)
    }

    fn watch<'py>(
        slf: &Bound<'py, Self>,
        fd: &Bound<'py, PyAny>,
        direction: Direction,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Handle>> {
        let shared = slf.get().shared(slf.py());
        shared.check_open()?;
        let handle = Bound::new(slf.py(), Handle::of(slf, callback, args, context)?)?;
        shared.watch(number_of(fd)?, fd, direction, &handle)?;
        Ok(handle)
    }
}

/// Closes a loop that was never closed, when its Python object is collected.
impl Drop for Core {
    fn drop(&mut self) {
        self.shared.get_without_proof().close();
    }
}

/// Lets a forked child run a loop even though its parent was running a loop.
#[pyfunction]
pub(crate) fn forget_running_loop() -> PyResult<()> {
    calling(|| {
        step07_full_loop::forget_running_loop();
        Ok(())
    })
}

/// Refuses a call on a closed loop. In debug mode, also refuses a callback that isn't callable and
/// a call from the wrong thread.
fn check_call(
    event_loop: &Bound<'_, Core>,
    callback: &Bound<'_, PyAny>,
    method: &str,
    is_for_one_thread: bool,
) -> PyResult<()> {
    let shared = event_loop.get().shared(event_loop.py());
    shared.check_open()?;
    if shared.is_debug.get() {
        if is_for_one_thread {
            event_loop.call_method0("_check_thread")?;
        }
        event_loop.call_method1("_check_callback", (callback, method))?;
    }
    Ok(())
}

/// Returns a descriptor's number, given either the number or an object with a `fileno` method.
fn number_of(fd: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    if let Ok(number) = fd.extract::<RawFd>()
        && number >= 0
    {
        return Ok(number);
    }
    // For anything but an object with a descriptor, this call raises asyncio's own errors.
    fd.py().import("selectors")?.getattr("_fileobj_to_fd")?.call1((fd,))?.extract()
}

/// Returns a descriptor's number even if the program has closed the object that it has named the
/// descriptor by; CPython's `_fileobj_lookup`.
fn known_number_of(shared: &Shared, fd: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    number_of(fd).or_else(|error| shared.number_of_closed(fd).ok_or(error))
}

const NANOS_A_SECOND: f64 = 1e9;

#[expect(clippy::cast_precision_loss, reason = "Python's time has no more digits")]
fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / NANOS_A_SECOND
}

/// Returns the first nanosecond that isn't before `when`. A time in the past is due at once, and a
/// time too far in the future is never due.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of what's too small, too large or no number at all gives the nearest there is"
)]
fn time_of(when: f64) -> Time {
    Time::ZERO + Duration::from_nanos((when * NANOS_A_SECOND).ceil() as u64)
}
