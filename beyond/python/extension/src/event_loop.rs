//! The half of `workbook.EventLoop` that's written in Rust: what asyncio's loop does by
//! `_run_once`, `_ready`, `_scheduled`, its selector and its self-pipe, the loop of step 07 does
//! here.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use step07_full_loop::{EventLoop, LoopError, LoopHandle, LoopWaker, ReadyQueue, Time};

use crate::clock::PythonClock;
use crate::errors::{calling, calling_at, raise};
use crate::gil::{Gil, borrow_fd};
use crate::handle::{Handle, Timer, TimerHandle};
use crate::slots::Slots;
use crate::watchdog::{self, Expected, Place};

/// What a loop and its callbacks share. The callbacks hold it, and the loop in it holds them: a
/// close ends that circle, and so does the end of the Python object.
pub(crate) struct Shared {
    pub(crate) event_loop: EventLoop,
    /// For other threads.
    remote: LoopHandle,
    waker: LoopWaker,
    /// The handles of all callbacks.
    slots: RefCell<Slots<Py<Handle>>>,
    /// The slots of the reader and the writer of each descriptor.
    watched: RefCell<HashMap<RawFd, [Option<u32>; 2]>>,
    /// The exception that has to leave the run.
    leaving: RefCell<Option<PyErr>>,
    pub(crate) is_debug: Cell<bool>,
    is_stopping: Cell<bool>,
    /// What the watchdog has to know.
    expected: RefCell<Expected>,
}

type Handles = (Option<Py<Handle>>, Option<Py<Handle>>);

#[derive(Clone, Copy)]
enum Direction {
    Read,
    Write,
}

impl Shared {
    fn new() -> PyResult<Rc<Self>> {
        let clock = PythonClock::default();
        let (event_loop, waker) = calling(|| {
            let queue = ReadyQueue::new().map_err(raise)?;
            let waker = queue.waker();
            Ok((EventLoop::with_queue(queue, clock.clone()).map_err(refusal)?, waker))
        })?;
        let shared = Rc::new(Shared {
            remote: event_loop.handle(),
            event_loop,
            waker,
            slots: RefCell::default(),
            watched: RefCell::default(),
            leaving: RefCell::default(),
            is_debug: Cell::default(),
            is_stopping: Cell::default(),
            expected: RefCell::default(),
        });
        clock.sleeps_for(&shared);
        Ok(shared)
    }

    fn check_open(&self) -> PyResult<()> {
        if self.event_loop.is_closed() { Err(refusal(LoopError::Closed)) } else { Ok(()) }
    }

    /// Ends the run as soon as the callback that runs now is over, and raises this from it.
    pub(crate) fn leave(&self, error: PyErr) {
        let before = self.leaving.replace(Some(error));
        self.event_loop.interrupt();
        drop(before);
    }

    fn keep(&self, handle: &Bound<'_, Handle>) -> u32 {
        let slot = self.slots.borrow_mut().insert(handle.clone().unbind());
        if watchdog::is_on() {
            self.expected.borrow_mut().forget(slot);
        }
        slot
    }

    fn take(&self, slot: u32) -> Option<Py<Handle>> {
        self.slots.borrow_mut().remove(slot)
    }

    /// Notes when a callback should run, if there's a watchdog: now, or at a time.
    fn expect(&self, slot: u32, when: Option<Time>) {
        if watchdog::is_on() {
            let when = when.unwrap_or_else(|| self.event_loop.time());
            self.expected.borrow_mut().insert(slot, when.as_nanos());
        }
    }

    /// Tells the watchdog when the next callback should run.
    pub(crate) fn expect_the_next(&self) {
        if watchdog::is_on() {
            let slots = self.slots.borrow();
            let waits = |slot| slots.get(slot).is_some();
            watchdog::expect_by(self.expected.borrow_mut().next(waits));
        }
    }

    /// Returns true if the handle is still in its slot: it hasn't run.
    pub(crate) fn holds(&self, slot: u32, handle: &Bound<'_, PyAny>) -> bool {
        self.slots.borrow().get(slot).is_some_and(|it| it.is(handle))
    }

    /// Empties a slot, if the handle is still in it.
    pub(crate) fn forget(&self, slot: u32, handle: &Bound<'_, PyAny>) {
        if self.holds(slot, handle) {
            let forgotten = self.take(slot);
            drop(forgotten);
        }
    }

    /// Runs a callback that's called once.
    fn run_once(&self, slot: u32) {
        Python::attach(|py| {
            if let Some(handle) = self.take(slot) {
                self.run(handle.bind(py));
            }
        });
    }

    /// Runs the callback of a descriptor, which stays. Its handle may have been cancelled by the
    /// program. (asyncio: `_process_events`)
    fn run_watched(&self, fd: RawFd, direction: Direction) {
        Python::attach(|py| {
            let slot = self.watched.borrow().get(&fd).and_then(|slots| slots[direction as usize]);
            let handle = slot
                .and_then(|slot| self.slots.borrow().get(slot).map(|handle| handle.clone_ref(py)));
            let Some(handle) = handle else { return };
            if !handle.get().is_cancelled(py) {
                self.run(handle.bind(py));
            } else if let Err(error) = self.unwatch(py, fd, direction) {
                self.leave(error);
            }
        });
    }

    fn run(&self, handle: &Bound<'_, Handle>) {
        let ran = watchdog::at(Place::Python, || {
            self.event_loop.name_in_trace(|| Handle::name(handle));
            if self.is_debug.get() { Handle::run_timed(handle) } else { Handle::run(handle) }
        });
        watchdog::done();
        if let Err(error) = ran {
            self.leave(error);
        }
    }

    /// Lets the loop call a handle as long as a descriptor is ready. The handle replaces the one
    /// before.
    fn watch(
        self: &Rc<Self>,
        fd: RawFd,
        direction: Direction,
        handle: &Bound<'_, Handle>,
    ) -> PyResult<()> {
        let (shared, borrowed) = (Rc::clone(self), borrow_fd(fd)?);
        let call = move || shared.run_watched(fd, direction);
        calling(|| match direction {
            Direction::Read => self.event_loop.add_reader(borrowed, call).map_err(raise),
            Direction::Write => self.event_loop.add_writer(borrowed, call).map_err(raise),
        })?;
        let slot = self.keep(handle);
        let before =
            self.watched.borrow_mut().entry(fd).or_default()[direction as usize].replace(slot);
        self.cancel_watched(handle.py(), before)
    }

    /// Returns true if the descriptor had a callback in this direction.
    fn unwatch(&self, py: Python<'_>, fd: RawFd, direction: Direction) -> PyResult<bool> {
        let is_known = self.watched.borrow().contains_key(&fd);
        if !is_known || self.event_loop.is_closed() {
            return Ok(false);
        }
        let borrowed = borrow_fd(fd)?;
        calling(|| match direction {
            Direction::Read => self.event_loop.remove_reader(borrowed).map_err(raise),
            Direction::Write => self.event_loop.remove_writer(borrowed).map_err(raise),
        })?;
        let mut watched = self.watched.borrow_mut();
        let slots = watched.entry(fd).or_default();
        let removed = slots[direction as usize].take();
        if slots.iter().all(Option::is_none) {
            watched.remove(&fd);
        }
        drop(watched);
        self.cancel_watched(py, removed)?;
        Ok(removed.is_some())
    }

    fn cancel_watched(&self, py: Python<'_>, slot: Option<u32>) -> PyResult<()> {
        match slot.and_then(|slot| self.take(slot)) {
            Some(handle) => Handle::cancel(handle.bind(py)),
            None => Ok(()),
        }
    }

    fn close(&self) {
        // It fails only in the child of a fork in the middle of a run, which its parent goes on
        // with.
        let _ = self.event_loop.close();
        // Each in a statement of its own: they're dropped when nothing is borrowed.
        let slots = self.slots.take();
        drop(slots);
        let watched = self.watched.take();
        drop(watched);
    }
}

/// The loop of step 07, for the Python class `workbook.EventLoop`, whose other base is asyncio's
/// `SelectorEventLoop`. Its methods have asyncio's names and take the place of asyncio's own.
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
        shared.check_open()?;
        check_in_debug(slf, &callback, "call_soon", true)?;
        let handle = Bound::new(slf.py(), Handle::of(slf, callback, args, context)?)?;
        let (called, slot) = (Rc::clone(shared), shared.keep(&handle));
        shared.expect(slot, None);
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
        shared.check_open()?;
        check_in_debug(slf, &callback, "call_soon_threadsafe", false)?;
        let handle = Bound::new(slf.py(), Handle::of(slf, callback, args, context)?)?;
        let slot = shared.keep(&handle);
        shared.expect(slot, None);
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

    /// Returns the loop's time in seconds: `time.monotonic()`.
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
        slf.get().shared(slf.py()).unwatch(slf.py(), number_of(fd)?, Direction::Read)
    }

    fn _remove_writer(slf: &Bound<'_, Self>, fd: &Bound<'_, PyAny>) -> PyResult<bool> {
        slf.get().shared(slf.py()).unwatch(slf.py(), number_of(fd)?, Direction::Write)
    }

    /// Returns the handles of a descriptor's reader and writer, `None` where there's none.
    fn _watched(slf: &Bound<'_, Self>, fd: &Bound<'_, PyAny>) -> PyResult<Handles> {
        let (py, shared) = (slf.py(), slf.get().shared(slf.py()));
        let watched = shared.watched.borrow().get(&number_of(fd)?).copied().unwrap_or_default();
        let slots = shared.slots.borrow();
        let [reader, writer] =
            watched.map(|slot| slot.and_then(|slot| slots.get(slot)).map(|it| it.clone_ref(py)));
        Ok((reader, writer))
    }

    /// Runs ticks until the loop is stopped. (asyncio calls it for each tick, until it's stopped.)
    fn _run_once(&self, py: Python<'_>) -> PyResult<()> {
        let shared = Rc::clone(self.shared(py));
        let ended = calling_at(Place::Tick, || shared.event_loop.run_forever().map_err(refusal));
        match shared.leaving.take() {
            Some(error) => Err(error),
            None => ended,
        }
    }

    /// Wakes the loop, from any thread.
    fn _write_to_self(&self, py: Python<'_>) -> PyResult<()> {
        calling(|| {
            self.shared(py).waker.wake();
            Ok(())
        })
    }

    /// Returns the descriptor that wakes the loop if a byte is written to it.
    fn _wakeup_fileno(&self, py: Python<'_>) -> RawFd {
        self.shared(py).waker.as_fd().as_raw_fd()
    }

    // asyncio's own fields: its methods read and set them, and these hand that on.

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
        // While something is borrowed nothing is collected, or else these are found the next time.
        let Ok(slots) = self.shared.get_without_proof().slots.try_borrow() else { return Ok(()) };
        slots.iter().try_for_each(|handle| visit.call(handle))
    }

    fn __clear__(&self, py: Python<'_>) {
        self.shared(py).close();
    }
}

impl Core {
    fn schedule<'py>(
        slf: &Bound<'py, Self>,
        when: f64,
        callback: Bound<'py, PyAny>,
        args: Bound<'py, PyTuple>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, TimerHandle>> {
        let (py, shared) = (slf.py(), slf.get().shared(slf.py()));
        shared.check_open()?;
        check_in_debug(slf, &callback, "call_at", true)?;
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
        shared.watch(number_of(fd)?, direction, &handle)?;
        Ok(handle)
    }
}

impl Shared {
    /// Empties a slot if its callback wasn't scheduled.
    fn or_forget<T>(&self, scheduled: PyResult<T>, slot: u32) -> PyResult<T> {
        if scheduled.is_err() {
            let forgotten = self.take(slot);
            drop(forgotten);
        }
        scheduled
    }
}

/// A loop that's forgotten without a close ends with its Python object.
impl Drop for Core {
    fn drop(&mut self) {
        self.shared.get_without_proof().close();
    }
}

/// Lets the child of a fork run a loop, although its parent was running one.
#[pyfunction]
pub(crate) fn forget_running_loop() -> PyResult<()> {
    calling(|| {
        step07_full_loop::forget_running_loop();
        Ok(())
    })
}

/// Refuses, in debug mode, what can't be called, and the wrong thread.
fn check_in_debug(
    event_loop: &Bound<'_, Core>,
    callback: &Bound<'_, PyAny>,
    method: &str,
    is_for_one_thread: bool,
) -> PyResult<()> {
    if event_loop.get().shared(event_loop.py()).is_debug.get() {
        if is_for_one_thread {
            event_loop.call_method0("_check_thread")?;
        }
        event_loop.call_method1("_check_callback", (callback, method))?;
    }
    Ok(())
}

/// Returns the number of a descriptor, which can be a number or an object that has one.
fn number_of(fd: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    if let Ok(number) = fd.extract::<RawFd>()
        && number >= 0
    {
        return Ok(number);
    }
    // asyncio's errors for what's none.
    fd.py().import("selectors")?.getattr("_fileobj_to_fd")?.call1((fd,))?.extract()
}

/// Turns a refusal of the loop into Python's exception.
fn refusal(error: LoopError) -> PyErr {
    match error {
        LoopError::Io(error) => raise(error),
        refused => PyRuntimeError::new_err(refused.to_string()),
    }
}

const NANOS_A_SECOND: f64 = 1e9;

#[expect(clippy::cast_precision_loss, reason = "Python's time has no more digits")]
fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / NANOS_A_SECOND
}

/// Returns the first nanosecond that isn't before `when`. What's past is due at once, and what's
/// too far away never.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of what's too small, too large or no number at all gives the nearest there is"
)]
fn time_of(when: f64) -> Time {
    Time::ZERO + Duration::from_nanos((when * NANOS_A_SECOND).ceil() as u64)
}
