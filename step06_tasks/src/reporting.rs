//! What becomes of an error that can't be returned to any caller: it's handed to the exception
//! handler, which can do anything but stop the loop.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::{Error, ExceptionContext, Handle, ReadyQueue};

pub(crate) type ExceptionHandler = Rc<dyn Fn(&ExceptionContext)>;

impl ReadyQueue {
    /// Replaces the handler for an error that can't be returned to any caller; asyncio's
    /// `set_exception_handler`.
    pub fn set_exception_handler(&self, handler: impl Fn(&ExceptionContext) + 'static) {
        let before = self.shared.exception_handler.replace(Some(Rc::new(handler)));
        // When nothing is borrowed any more: it can own anything.
        drop(before);
    }

    /// Removes the handler: from here on,
    /// [`default_exception_handler`](ReadyQueue::default_exception_handler) is called. (asyncio:
    /// `set_exception_handler(None)`)
    pub fn clear_exception_handler(&self) {
        let before = self.shared.exception_handler.take();
        drop(before);
    }

    /// Prints the message and the exception on standard error, and below them whose they are. If they
    /// can't be printed, nothing else happens.
    pub fn default_exception_handler(&self, context: &ExceptionContext) {
        // In one piece, so that nothing of another thread comes in between.
        let text = lines(context).join("\n  ") + "\n";
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Calls the exception handler. If that one panics, the default handler is told of both errors.
    pub fn call_exception_handler(&self, context: &ExceptionContext) {
        let handler = self.shared.exception_handler.borrow().clone();
        let Some(handler) = handler else { return self.default_exception_handler(context) };
        // It's moved, and so dropped in there, should it have been replaced meanwhile.
        let call = AssertUnwindSafe(move || handler(context));
        if let Err(payload) = catch_unwind(call) {
            let broken = ExceptionContext::new("Unhandled error in exception handler")
                .with_exception(Error::from_panic(payload))
                .with_context(context);
            self.default_exception_handler(&broken);
        }
    }

    /// Runs anybody's code. A panic is reported with this message, and ends only that: when many
    /// wakers are called in a row, for example, a bad one spares the others.
    #[inline]
    pub fn report_panic(&self, message: &str, call: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
            let context = ExceptionContext::new(message);
            self.call_exception_handler(&context.with_exception(Error::from_panic(payload)));
        }
    }

    /// Calls the exception handler with a message alone.
    pub fn report(&self, message: &str) {
        self.call_exception_handler(&ExceptionContext::new(message));
    }

    /// Runs a callback, and reports its panic.
    pub(crate) fn run_callback(&self, handle: Handle) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handle.run())) {
            let context = ExceptionContext::new("Exception in callback")
                .with_exception(Error::from_panic(payload));
            self.call_exception_handler(&context.with_handle(handle));
        }
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
