//! The state that a loop in Rust shares with its callbacks in Python, and the code that runs a
//! callback's handle. The state contains all handles and the slots of those that belong to
//! descriptors. A closure in the loop holds no Python object, only a slot's number, so Python's
//! garbage collector sees every object that the loop holds.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::os::fd::{AsFd, RawFd};
use std::rc::Rc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use step07_full_loop::{EventLoop, LoopError, LoopHandle, LoopWaker, ReadyQueue, Time};

use crate::clock::PythonClock;
use crate::errors::{calling, raise};
use crate::gil::borrow_fd;
use crate::handle::Handle;
use crate::slots::Slots;
use crate::watchdog::{self, Expected, Place};

/// The state that a loop shares with its callbacks. The callbacks hold this state, and the state's
/// loop holds the callbacks. Closing the loop breaks this cycle, and so does collecting the loop's
/// Python object.
pub(crate) struct Shared {
    pub(crate) event_loop: EventLoop,
    /// The loop's handle for other threads.
    pub(crate) remote: LoopHandle,
    pub(crate) waker: LoopWaker,
    /// The handles of all callbacks.
    pub(crate) slots: RefCell<Slots<Py<Handle>>>,
    pub(crate) watched: RefCell<HashMap<RawFd, Watched>>,
    /// The exception that the loop's run has to raise.
    pub(crate) leaving: RefCell<Option<PyErr>>,
    pub(crate) is_debug: Cell<bool>,
    pub(crate) is_stopping: Cell<bool>,
    /// The times at which the watchdog expects callbacks to run.
    expected: RefCell<Expected>,
}

/// A descriptor that the loop watches.
pub(crate) struct Watched {
    /// What the program has named the descriptor by: its number or an object, such as a socket. A
    /// closed object has no number any more, and the program can still remove its callbacks.
    pub(crate) named_by: Py<PyAny>,
    /// The slots of the descriptor's reader and writer.
    pub(crate) slots: [Option<u32>; 2],
}

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Read,
    Write,
}

impl Shared {
    pub(crate) fn new() -> PyResult<Rc<Self>> {
        let clock = PythonClock::default();
        let (event_loop, waker) = calling(|| {
            let queue = ReadyQueue::new().map_err(raise)?;
            let waker = queue.waker();
            let event_loop = EventLoop::with_queue(queue, clock.clone()).map_err(refusal)?;
            // The clock sleeps on this descriptor, which the first call makes: now, since there may
            // be none left later.
            event_loop.as_fd();
            Ok((event_loop, waker))
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

    pub(crate) fn check_open(&self) -> PyResult<()> {
        if self.event_loop.is_closed() { Err(refusal(LoopError::Closed)) } else { Ok(()) }
    }

    /// Makes the run raise this exception as soon as the current callback returns.
    pub(crate) fn leave(&self, error: PyErr) {
        let before = self.leaving.replace(Some(error));
        self.event_loop.interrupt();
        drop(before);
    }

    pub(crate) fn keep(&self, handle: &Bound<'_, Handle>) -> u32 {
        let slot = self.slots.borrow_mut().insert(handle.clone().unbind());
        if watchdog::is_on() {
            self.expected.borrow_mut().forget(slot);
        }
        slot
    }

    fn take(&self, slot: u32) -> Option<Py<Handle>> {
        self.slots.borrow_mut().remove(slot)
    }

    /// If there's a watchdog, records that a callback should run at `when`, or now if `when` is
    /// `None`.
    pub(crate) fn expect(&self, slot: u32, when: Option<Time>) {
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

    /// Returns true if the handle is still in its slot, which means that it hasn't run.
    pub(crate) fn holds(&self, slot: u32, handle: &Bound<'_, PyAny>) -> bool {
        self.slots.borrow().get(slot).is_some_and(|it| it.is(handle))
    }

    /// Empties a slot if the handle is still in it.
    pub(crate) fn forget(&self, slot: u32, handle: &Bound<'_, PyAny>) {
        if self.holds(slot, handle) {
            let forgotten = self.take(slot);
            drop(forgotten);
        }
    }

    /// Returns `scheduled`, the outcome of an attempt to schedule a callback. If that's an error,
    /// empties the callback's slot first.
    pub(crate) fn or_forget<T>(&self, scheduled: PyResult<T>, slot: u32) -> PyResult<T> {
        if scheduled.is_err() {
            let forgotten = self.take(slot);
            drop(forgotten);
        }
        scheduled
    }

    /// Runs a callback that's called just once.
    pub(crate) fn run_once(&self, slot: u32) {
        Python::attach(|py| {
            if let Some(handle) = self.take(slot) {
                self.run(handle.bind(py));
            }
        });
    }

    /// Runs a descriptor's callback, which stays registered. If the program has cancelled the
    /// callback's handle, removes the callback instead, as asyncio's `_process_events` does.
    fn run_watched(&self, fd: RawFd, direction: Direction) {
        Python::attach(|py| {
            let slot = self.watched.borrow().get(&fd).and_then(|it| it.slots[direction as usize]);
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

    /// Makes the loop run a handle whenever a descriptor is ready in this direction. The handle
    /// replaces the descriptor's earlier handle for the direction, if there is one.
    pub(crate) fn watch(
        self: &Rc<Self>,
        fd: RawFd,
        named_by: &Bound<'_, PyAny>,
        direction: Direction,
        handle: &Bound<'_, Handle>,
    ) -> PyResult<()> {
        let (shared, borrowed) = (Rc::clone(self), borrow_fd(fd)?);
        let call = move || shared.run_watched(fd, direction);
        let added = calling(|| match direction {
            Direction::Read => self.event_loop.add_reader(borrowed, call).map_err(raise),
            Direction::Write => self.event_loop.add_writer(borrowed, call).map_err(raise),
        });
        if let Err(refused) = added {
            self.forget_watched(fd);
            return Err(refused);
        }
        let slot = self.keep(handle);
        let mut watched = self.watched.borrow_mut();
        let named_by = || Watched { named_by: named_by.clone().unbind(), slots: [None; 2] };
        let before =
            watched.entry(fd).or_insert_with(named_by).slots[direction as usize].replace(slot);
        drop(watched);
        self.cancel_watched(handle.py(), before)
    }

    /// Returns the number of a descriptor that the program has named by this object.
    pub(crate) fn number_of_closed(&self, named_by: &Bound<'_, PyAny>) -> Option<RawFd> {
        let watched = self.watched.borrow();
        watched.iter().find(|(_, it)| it.named_by.is(named_by)).map(|(&fd, _)| fd)
    }

    /// Removes a descriptor's callback for this direction. Returns true if there was one.
    pub(crate) fn unwatch(
        &self,
        py: Python<'_>,
        fd: RawFd,
        direction: Direction,
    ) -> PyResult<bool> {
        let is_known = self.watched.borrow().contains_key(&fd);
        if !is_known || self.event_loop.is_closed() {
            return Ok(false);
        }
        let borrowed = borrow_fd(fd)?;
        let removed = calling(|| match direction {
            Direction::Read => self.event_loop.remove_reader(borrowed).map_err(raise),
            Direction::Write => self.event_loop.remove_writer(borrowed).map_err(raise),
        });
        if removed.is_err() {
            self.forget_watched(fd);
            return removed;
        }
        let mut watched = self.watched.borrow_mut();
        let Some(it) = watched.get_mut(&fd) else { return removed };
        let slot = it.slots[direction as usize].take();
        let forgotten = if it.slots == [None; 2] { watched.remove(&fd) } else { None };
        drop(watched);
        drop(forgotten);
        self.cancel_watched(py, slot)?;
        removed
    }

    /// Forgets both callbacks of a descriptor, as the loop did when the kernel refused to change
    /// the registration.
    fn forget_watched(&self, fd: RawFd) {
        let forgotten = self.watched.borrow_mut().remove(&fd);
        let slots = forgotten.iter().flat_map(|it| it.slots).flatten();
        let handles: Vec<_> = slots.map(|slot| self.take(slot)).collect();
        drop((forgotten, handles));
    }

    fn cancel_watched(&self, py: Python<'_>, slot: Option<u32>) -> PyResult<()> {
        match slot.and_then(|slot| self.take(slot)) {
            Some(handle) => Handle::cancel(handle.bind(py)),
            None => Ok(()),
        }
    }

    pub(crate) fn close(&self) {
        // This fails only in a child that was forked in the middle of a run, which the parent
        // continues.
        let _ = self.event_loop.close();
        // These are separate statements, so that the values are dropped while nothing is borrowed.
        let slots = self.slots.take();
        drop(slots);
        let watched = self.watched.take();
        drop(watched);
    }
}

/// Turns the loop's error into a Python exception.
pub(crate) fn refusal(error: LoopError) -> PyErr {
    match error {
        LoopError::Io(error) => raise(error),
        refused => PyRuntimeError::new_err(refused.to_string()),
    }
}
