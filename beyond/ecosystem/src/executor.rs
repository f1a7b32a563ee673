//! How hyper starts a task. An HTTP/1 connection never does: it's one future. HTTP/2 has a task per
//! request, and a pool of client connections has some of its own.

use asyncio::create_task;
use hyper::rt::Executor;

use crate::cancellable;

/// Starts tasks on the loop that runs in this thread. Its futures needn't be `Send`.
///
/// Nothing waits for such a task; if it panics, the loop's exception handler is told. When the
/// loop's main is over, it's cancelled like any other.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LoopExecutor {
    fn execute(&self, future: F) {
        // Without a loop there's nothing to start it on, and no way to say so: it's dropped.
        let _ = create_task(cancellable(future));
    }
}
