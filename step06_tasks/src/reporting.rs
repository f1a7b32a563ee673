//! What becomes of an error that can't be returned to any caller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::{Error, ReadyQueue};

pub(crate) type ExceptionHandler = Rc<dyn Fn(&str)>;

impl ReadyQueue {
    /// Replaces the handler for the message of an error that can't be returned to any caller; the
    /// default prints it on standard error.
    pub fn set_exception_handler(&self, handler: impl Fn(&str) + 'static) {
        *self.shared.exception_handler.borrow_mut() = Rc::new(handler);
    }

    /// Calls the exception handler.
    pub fn report(&self, message: &str) {
        let handler = Rc::clone(&self.shared.exception_handler.borrow());
        handler(message);
    }

    /// Drops a value, and reports a panic of its destructor. When many things are dropped, each by
    /// itself, one bad destructor spares the others; two that panic in one drop would end the
    /// process.
    pub fn discard<T>(&self, value: T) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
            self.report(&format!("Exception in a destructor: {}", Error::panicked(&*payload)));
        }
    }
}
