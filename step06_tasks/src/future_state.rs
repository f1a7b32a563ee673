//! The state of a future, which all handles to it share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::callbacks::Callbacks;
use crate::cancelling::Awaited;
use crate::control::Control;
use crate::{Error, Future, ReadyQueue, Result};

/// What all handles to a future share. A task has the same, and more.
pub(crate) trait Shared<T: 'static>: Awaited {
    fn state(&self) -> &State<T>;
}

// ANCHOR: state
/// The state of a future.
pub(crate) struct State<T: 'static> {
    pub(crate) queue: ReadyQueue,
    pub(crate) outcome: RefCell<Option<Result<T>>>,
    pub(crate) callbacks: RefCell<Callbacks<T>>,
    /// The outcome has been read, so an error needn't be reported.
    pub(crate) retrieved: Cell<bool>,
}
// ANCHOR_END: state

impl<T: 'static> State<T> {
    pub(crate) fn new(queue: ReadyQueue) -> Self {
        State {
            queue,
            outcome: RefCell::new(None),
            callbacks: RefCell::default(),
            retrieved: Cell::new(false),
        }
    }

    pub(crate) fn done(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    pub(crate) fn cancelled(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(Error::Cancelled(_))))
    }

    /// Reports an error that was never retrieved.
    pub(crate) fn report_unretrieved(&mut self, kind: &str) {
        if let Some(Err(error)) = self.outcome.get_mut()
            && !error.is_cancelled()
            && !self.retrieved.replace(true)
        {
            let message = format!("{kind} exception was never retrieved: {error}");
            self.queue.report(&message);
        }
    }
}

/// A future that belongs to no task: only `State` is shared.
impl<T: 'static> Shared<T> for State<T> {
    fn state(&self) -> &State<T> {
        self
    }
}

impl<T: 'static> Drop for State<T> {
    fn drop(&mut self) {
        self.report_unretrieved("Future");
    }
}

impl<T: 'static> Awaited for State<T> {
    fn done(&self) -> bool {
        self.done()
    }

    fn cancelled(&self) -> bool {
        self.cancelled()
    }

    fn as_task(&self) -> Option<&Control> {
        None
    }

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        Future::of(self).finish(Err(Error::Cancelled(message))).is_ok()
    }
}
