//! What an exception handler is told of an error that can't be returned to any caller.

use std::fmt;
use std::panic::Location;

use crate::control::Control;
use crate::{AnyTask, Error, Handle};

/// An error, and whose it is; the keys of asyncio's `context`.
///
/// Its text is the message, and the exception if there's one.
///
/// ```
/// use step06_tasks::{Error, ExceptionContext};
/// let context = ExceptionContext::new("accept").with_exception(Error::other("out of luck"));
/// assert_eq!(context.to_string(), "accept: out of luck");
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExceptionContext {
    /// What has happened.
    pub message: String,
    /// The error, if there's one.
    pub exception: Option<Error>,
    /// The name of the task that it's about.
    pub task: Option<String>,
    /// The place in the program that created that task. (asyncio's `source_traceback`, which it has in
    /// debug mode alone)
    pub created_at: Option<&'static Location<'static>>,
    /// The callback that has failed. If it's a reader or a writer, cancelling it doesn't unregister its
    /// descriptor: that needs `remove_reader` or `remove_writer`. (asyncio's loop unregisters it at its
    /// next event.)
    pub handle: Option<Handle>,
    /// What a handler was called with that has failed itself.
    pub context: Option<Box<ExceptionContext>>,
}

impl ExceptionContext {
    /// Makes a context with a message and nothing else.
    pub fn new(message: impl Into<String>) -> Self {
        ExceptionContext { message: message.into(), ..ExceptionContext::default() }
    }

    /// Adds the error.
    #[must_use]
    pub fn with_exception(self, exception: Error) -> Self {
        ExceptionContext { exception: Some(exception), ..self }
    }

    /// Adds the task that it's about.
    #[must_use]
    pub fn with_task(self, task: &AnyTask) -> Self {
        ExceptionContext { task: Some(task.name()), created_at: Some(task.created_at()), ..self }
    }

    pub(crate) fn with_control(self, control: &Control) -> Self {
        let (task, created_at) = (Some(control.name()), Some(control.created_at));
        ExceptionContext { task, created_at, ..self }
    }

    pub(crate) fn with_handle(self, handle: Handle) -> Self {
        ExceptionContext { handle: Some(handle), ..self }
    }

    pub(crate) fn with_context(self, context: &ExceptionContext) -> Self {
        ExceptionContext { context: Some(Box::new(context.clone())), ..self }
    }
}

impl fmt::Display for ExceptionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_empty = self.message.is_empty();
        f.write_str(if is_empty { "Unhandled exception in event loop" } else { &self.message })?;
        match &self.exception {
            Some(exception) => write!(f, ": {exception}"),
            None => Ok(()),
        }
    }
}
