//! Errors that have no caller to whom they could be returned.

use step06_tasks::{Error, ExceptionContext};

use crate::EventLoop;

/// Tells the exception handler.
pub(crate) fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}
