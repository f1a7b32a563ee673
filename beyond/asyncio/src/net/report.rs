//! Errors that are returned to no caller.

use step06_tasks::{Error, ExceptionContext};

use crate::EventLoop;

/// Hands the loop's exception handler a message and the error behind it.
pub(crate) fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}
