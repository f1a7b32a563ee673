//! Errors that can't be returned to any caller: a callback that panics, a task's error that nothing
//! retrieves, a connection that can't be accepted. They go to the exception handler, and the loop goes
//! on.

use step06_tasks::ExceptionContext;

use crate::event_loop::EventLoop;

impl EventLoop {
    /// Replaces the exception handler; asyncio's `set_exception_handler`. It can do anything with the
    /// loop. If it panics, the default one is told of that.
    ///
    /// ```
    /// use step07_full_loop::{EventLoop, LoopError};
    /// let event_loop = EventLoop::new()?;
    /// let stopper = event_loop.clone();
    /// event_loop.set_exception_handler(move |context| {
    ///     println!("{}, so that's the end", context.message);
    ///     stopper.stop();
    /// });
    /// event_loop.call_soon(|| std::panic::resume_unwind(Box::new("oh no")));
    /// event_loop.run_forever()?;
    /// event_loop.close()?;
    /// # Ok::<(), LoopError>(())
    /// ```
    pub fn set_exception_handler(&self, handler: impl Fn(&ExceptionContext) + 'static) {
        self.core.queue.set_exception_handler(handler);
    }

    /// Goes back to the default handler. (asyncio: `set_exception_handler(None)`)
    pub fn clear_exception_handler(&self) {
        self.core.queue.clear_exception_handler();
    }

    /// Prints the message and the exception on standard error. A handler can call it for what it
    /// doesn't handle itself; asyncio's `default_exception_handler`.
    pub fn default_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.default_exception_handler(context);
    }

    /// Calls the exception handler, for errors of your own that have no caller; asyncio's
    /// `call_exception_handler`.
    pub fn call_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.call_exception_handler(context);
    }
}
