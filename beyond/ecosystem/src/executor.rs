//! Lets hyper start tasks on the loop. An HTTP/1 connection is a single future, so it never starts
//! a task. HTTP/2 starts a task per request, and a pool of client connections starts some tasks
//! too.

use asyncio::create_task;
use hyper::rt::Executor;

use crate::cancellable;

/// Starts tasks on the loop that's running on this thread. Their futures needn't be `Send`.
///
/// No code waits for such a task; if it panics, the loop's exception handler receives the error.
/// When [`run`](asyncio::run) cancels the remaining tasks, it cancels this task like any other.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LoopExecutor {
    fn execute(&self, future: F) {
        // Without a loop, the future can't start and the error can't be reported, so the future is
        // dropped.
        let _ = create_task(cancellable(future));
    }
}
