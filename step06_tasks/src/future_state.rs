//! The state of a future, which all handles to it share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::callbacks::Callbacks;
use crate::cancelling::Awaited;
use crate::control::Control;
use crate::{Error, ExceptionContext, Future, ReadyQueue, Result};

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

    pub(crate) fn cancellation(&self) -> Option<Error> {
        let outcome = self.outcome.borrow();
        outcome.as_ref()?.as_ref().err().filter(|error| error.is_cancelled()).cloned()
    }

    /// Notes that nothing will ask for the error any more, if there is one: as in asyncio, whoever
    /// cancels a future that is done has lost interest in it.
    pub(crate) fn give_up_report(&self) {
        self.retrieved.set(self.done());
    }

    /// Takes an error that was never retrieved, to report it.
    pub(crate) fn take_unretrieved(&mut self) -> Option<Error> {
        let error = self.outcome.get_mut().as_ref()?.as_ref().err()?;
        let is_lost = !error.is_cancelled() && !self.retrieved.replace(true);
        is_lost.then(|| error.clone())
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
        if let Some(error) = self.take_unretrieved() {
            let context = ExceptionContext::new("Future exception was never retrieved");
            self.queue.call_exception_handler(&context.with_exception(error));
        }
    }
}

impl<T: 'static> Awaited for State<T> {
    fn done(&self) -> bool {
        self.done()
    }

    fn cancellation(&self) -> Option<Error> {
        self.cancellation()
    }

    fn as_task(&self) -> Option<&Control> {
        None
    }

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        self.give_up_report();
        Future::of(self).finish(Err(Error::Cancelled(message))).is_ok()
    }
}
