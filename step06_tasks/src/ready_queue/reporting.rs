//! Reporting an error that can't be returned to any caller: the exception handler gets it, together
//! with the task or callback that it comes from. If the handler panics, the loop still carries on.

use std::fmt;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;

use crate::any_task::Control;
use crate::{AnyTask, Error, Handle, ReadyQueue};

pub(crate) type ExceptionHandler = Rc<dyn Fn(&ExceptionContext)>;

/// An error with the task or callback that it comes from. The fields are like the keys of asyncio's
/// `context`.
///
/// Prints as the message, followed by the exception, if any.
///
/// ```
/// use step06_tasks::{Error, ExceptionContext};
/// let context = ExceptionContext::new("accept").with_exception(Error::other("out of luck"));
/// assert_eq!(context.to_string(), "accept: out of luck");
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExceptionContext {
    /// The text that says what has failed, such as "Exception in callback".
    pub message: String,
    /// The error, if there's one.
    pub exception: Option<Error>,
    /// The name of the task, if the report is about a task.
    pub task: Option<String>,
    /// The place in the program that created that task. asyncio's counterpart, `source_traceback`,
    /// exists in debug mode only.
    pub created_at: Option<&'static Location<'static>>,
    /// The callback that has failed. Cancelling the handle of a reader or a writer doesn't
    /// unregister the descriptor: call `remove_reader` or `remove_writer`. asyncio's loop removes a
    /// cancelled reader or writer at the descriptor's next event.
    pub handle: Option<Handle>,
    /// The context that an exception handler was called with, if the handler has failed.
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

    /// Adds the task.
    #[must_use]
    pub fn with_task(self, task: &AnyTask) -> Self {
        self.with_control(task.body.control())
    }

    pub(crate) fn with_control(self, task: &Control) -> Self {
        let (task, created_at) = (Some(task.name()), Some(task.created_at));
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

impl ReadyQueue {
    /// Replaces the handler for errors that can't be returned to any caller; asyncio's
    /// `set_exception_handler`.
    pub fn set_exception_handler(&self, handler: impl Fn(&ExceptionContext) + 'static) {
        let before = self.shared.exception_handler.replace(Some(Rc::new(handler)));
        // When nothing is borrowed any more: the old handler's destructor can run any code.
        drop(before);
    }

    /// Removes the handler: from here on,
    /// [`default_exception_handler`](ReadyQueue::default_exception_handler) is called; asyncio's
    /// `set_exception_handler(None)`.
    pub fn clear_exception_handler(&self) {
        let before = self.shared.exception_handler.take();
        drop(before);
    }

    /// Prints the message to standard error, followed by the exception, the task and the
    /// context, if any. Ignores a failure to print.
    pub fn default_exception_handler(&self, context: &ExceptionContext) {
        // In one piece, so that no other thread's output comes in between.
        let text = lines(context).join("\n  ") + "\n";
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Calls the exception handler. If the handler panics, the default handler gets both errors.
    pub fn call_exception_handler(&self, context: &ExceptionContext) {
        let handler = self.shared.exception_handler.borrow().clone();
        let Some(handler) = handler else { return self.default_exception_handler(context) };
        // Moved into the closure: a handler that replaces itself is dropped in there.
        let call = AssertUnwindSafe(move || handler(context));
        if let Err(payload) = catch_unwind(call) {
            let broken = ExceptionContext::new("Unhandled error in exception handler")
                .with_exception(Error::from_panic(payload))
                .with_context(context);
            self.default_exception_handler(&broken);
        }
    }

    /// Calls the exception handler with only a message.
    pub fn report(&self, message: &str) {
        self.call_exception_handler(&ExceptionContext::new(message));
    }
}

fn lines(context: &ExceptionContext) -> Vec<String> {
    let mut lines = vec![context.to_string()];
    if let Some(task) = &context.task {
        let place = context.created_at.map(|place| format!(", created at {place}"));
        lines.push(format!("task: {task}{}", place.unwrap_or_default()));
    }
    if let Some(context) = &context.context {
        lines.push(format!("context: {}", self::lines(context).join("; ")));
    }
    lines
}
