//! The entries of a queue: a callback that can be cancelled, a step of a task, or a wake-up.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::{AnyTask, LocalWaker, Ran};

/// A scheduled callback that can be cancelled; asyncio's `Handle`.
///
/// A clone is another handle to the same callback. The callback and its state share one allocation.
#[derive(Clone)]
pub struct Handle {
    pub(crate) inner: Rc<Inner<dyn Call>>,
}

pub(crate) struct Inner<C: ?Sized> {
    pub(crate) cancelled: Cell<bool>,
    /// The place in the program that scheduled the callback.
    pub(crate) created_at: &'static Location<'static>,
    pub(crate) callback: C,
}

/// A callback that's taken out of its `Cell` while it runs, so that its code can use the handle.
pub(crate) trait Call {
    fn run(&self, cancelled: &Cell<bool>);
    /// Drops everything that the callback holds.
    fn forget(&self);
}

struct Once<F>(Cell<Option<F>>);
struct Repeating<F>(Cell<Option<F>>);

impl Handle {
    /// Makes a callback that runs once, for `call_soon`.
    #[track_caller]
    pub fn once(callback: impl FnOnce() + 'static) -> Self {
        Handle::once_at(Location::caller(), callback)
    }

    /// Makes a callback that runs once, with `created_at` as the place that scheduled it.
    pub(crate) fn once_at(
        created_at: &'static Location<'static>,
        callback: impl FnOnce() + 'static,
    ) -> Self {
        let callback = Once(Cell::new(Some(callback)));
        Handle { inner: Rc::new(Inner { cancelled: Cell::new(false), created_at, callback }) }
    }

    /// Makes a callback that can run many times, for `add_reader`. It can run again even after it
    /// has panicked.
    #[track_caller]
    pub fn repeating(callback: impl FnMut() + 'static) -> Self {
        let callback = Repeating(Cell::new(Some(callback)));
        let created_at = Location::caller();
        Handle { inner: Rc::new(Inner { cancelled: Cell::new(false), created_at, callback }) }
    }

    /// Cancels the callback and drops everything it holds. If the callback is running, its values
    /// are dropped after the call. If the callback is queued, its entry stays in the queue and is
    /// skipped.
    pub fn cancel(&self) {
        self.inner.cancelled.set(true);
        self.inner.callback.forget();
    }

    /// Returns true if [`cancel`](Handle::cancel) was called.
    pub fn cancelled(&self) -> bool {
        self.inner.cancelled.get()
    }

    /// Returns the place in the program that scheduled the callback.
    pub fn created_at(&self) -> &'static Location<'static> {
        self.inner.created_at
    }

    /// Runs the callback, unless its handle was cancelled.
    pub(crate) fn run(&self) {
        self.inner.callback.run(&self.inner.cancelled);
    }
}

impl<F: FnOnce()> Call for Once<F> {
    fn run(&self, _cancelled: &Cell<bool>) {
        if let Some(callback) = self.0.take() {
            callback();
        }
    }

    fn forget(&self) {
        drop(self.0.take());
    }
}

impl<F: FnMut()> Call for Repeating<F> {
    fn run(&self, cancelled: &Cell<bool>) {
        if let Some(callback) = self.0.take() {
            let mut borrowed = PutBack { callback: Some(callback), cell: &self.0, cancelled };
            if let Some(callback) = &mut borrowed.callback {
                callback();
            }
        }
    }

    fn forget(&self) {
        drop(self.0.take());
    }
}

/// A guard that returns the callback to its cell, even after a panic, unless the handle was
/// cancelled.
struct PutBack<'a, F> {
    callback: Option<F>,
    cell: &'a Cell<Option<F>>,
    cancelled: &'a Cell<bool>,
}

impl<F> Drop for PutBack<'_, F> {
    fn drop(&mut self) {
        if !self.cancelled.get() {
            self.cell.set(self.callback.take());
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("cancelled", &self.cancelled()).finish_non_exhaustive()
    }
}

/// An entry of a queue.
#[derive(Debug)]
pub enum Runnable {
    /// A callback.
    Callback(Handle),
    /// A step of a task. Only this crate makes such an entry, always for the task's own queue.
    #[non_exhaustive]
    Step(AnyTask),
    /// A wake-up. It queues a step of its task for the next round, as in asyncio, where a timer's
    /// callback sets a future's result and the future then schedules the task.
    Wake(LocalWaker),
}

impl Runnable {
    /// Returns the description that an [`Observer`](crate::Observer) gets.
    pub fn describe(&self) -> Ran {
        match self {
            Runnable::Callback(handle) => Ran::Callback(handle.created_at()),
            Runnable::Step(task) => Ran::Step(task.clone()),
            Runnable::Wake(_) => Ran::Wake,
        }
    }
}

impl From<Handle> for Runnable {
    fn from(handle: Handle) -> Self {
        Runnable::Callback(handle)
    }
}

impl From<LocalWaker> for Runnable {
    fn from(waker: LocalWaker) -> Self {
        Runnable::Wake(waker)
    }
}
