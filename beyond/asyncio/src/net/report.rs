//! Reports errors that can't be returned to a caller.

use step06_tasks::{Error, ExceptionContext};

use crate::EventLoop;

/// Calls the loop's exception handler with a message and the error that caused the report.
pub(crate) fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}
