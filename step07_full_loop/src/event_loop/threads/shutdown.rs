//! The end of a loop's pool of threads.
//!
//! Joining a thread blocks, and the work that it finishes might need the loop. So another thread
//! joins them, and tells the loop when all have ended. (asyncio: `_do_shutdown`)

use std::thread;

use step06_tasks::{Error, Result};

use super::pool::ThreadPool;
use crate::event_loop::{Core, EventLoop};

impl EventLoop {
    /// Lets the loop's pool take no more work, and waits until its threads have ended. What's queued
    /// still runs. [`run`](crate::run) does this at its end.
    ///
    /// asyncio's coroutine takes a timeout since 3.12, and its `run` gives up after five minutes;
    /// this waits for as long as the work takes.
    pub async fn shutdown_default_executor(&self) -> Result<()> {
        self.core.executor.borrow_mut().is_shut_down = true;
        let join = self.core.executor.borrow().pool.as_ref().map(ThreadPool::joiner);
        let Some(join) = join else { return Ok(()) };
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let builder = thread::Builder::new().name("loop-shutdown".to_owned());
        let joining = builder.spawn(move || {
            join();
            // A loop that's closed waits for nothing any more.
            let _ = completer.complete(Ok(()));
        });
        match joining {
            Ok(thread) => {
                let outcome = future.await;
                if outcome.is_ok() {
                    // It has nothing left to do, so this doesn't block.
                    let _ = thread.join();
                }
                outcome
            }
            Err(error) => {
                self.forget_remote_future(number);
                Err(Error::from(error))
            }
        }
    }
}

impl Core {
    /// Lets the pool take no more work, and doesn't wait: its threads finish what's queued, and end.
    pub(crate) fn drop_executor(&self) {
        let pool = {
            let mut executor = self.executor.borrow_mut();
            executor.is_shut_down = true;
            executor.pool.take()
        };
        drop(pool);
        let waiting = self.remote_futures.take();
        waiting.into_callbacks().for_each(|finish| self.queue.discard(finish));
    }
}
