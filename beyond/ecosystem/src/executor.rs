//! hyper's way to start a task. An HTTP/1 connection never needs it, as it's a single future.
//! HTTP/2 has a task per request, and a pool of client connections has some tasks of its own.

use asyncio::create_task;
use hyper::rt::Executor;

use crate::cancellable;

/// Starts tasks on the loop that runs in this thread. Their futures needn't be `Send`.
///
/// Nobody waits for such a task; if it panics, the loop's exception handler receives the error.
/// When the loop's main is over, the task is cancelled like any other.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LoopExecutor {
    fn execute(&self, future: F) {
        // Without a loop, there's no place to start the future and nobody to tell: it's dropped.
        let _ = create_task(cancellable(future));
    }
}
