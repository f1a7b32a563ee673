//! Threads for blocking work: a thread does the work that would freeze the loop, then sends the
//! result to the loop in a message, which wakes the loop.
//!
//! A loop has one thread. While a callback computes or waits in a system call, the loop serves no
//! other client, no timer and no signal. So such work goes to a pool of threads, and a future on
//! the loop stands for its result.
//!
//! | file | contents |
//! | --- | --- |
//! | `completer.rs` | [`Completer`]: represents a future on other threads, since a future isn't `Send` |
//! | `pool.rs` | [`ThreadPool`]: a limited number of threads and a queue of work, without a loop |
//!
//! This file combines the pool with completers: `run_in_executor`, [`to_thread`], and the pool's
//! shutdown. Joining a thread blocks, and the thread's work might need the loop. So another thread
//! joins the pool's threads and notifies the loop when all have ended; asyncio's `_do_shutdown`.
//!
//! In CPython: asyncio's `threads.py`, `run_in_executor` in `base_events.py` and `wrap_future` in
//! `futures.py`, and `concurrent/futures/thread.py`.

mod completer;
mod pool;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use step01_fd::CallError;
use step06_tasks::{Error, Future, Result};

use crate::event_loop::{Core, EventLoop, get_running_loop};

pub use completer::Completer;
pub(crate) use completer::RemoteFutures;
pub use pool::ThreadPool;
use pool::Work;

/// Runs a blocking function on a thread of the loop's pool and waits for its result while other
/// tasks run; asyncio's `to_thread`.
///
/// If the task is cancelled, the work is cancelled in the next tick and never runs, unless a thread
/// has begun it by then. Work that has begun can't be stopped: it runs on, and its result is
/// dropped.
///
/// # Errors
///
/// Fails with the work's error, with [`Error::Panicked`] if the work panics, and with `Cancelled`
/// if the task is cancelled. Also fails if no loop is running in this thread, if the pool takes no
/// more work, or if the pool can't start its first thread.
///
/// # Examples
///
/// ```
/// let name = step07_full_loop::run(async {
///     step07_full_loop::to_thread(|| Ok(std::fs::read_to_string("/proc/self/comm")?)).await
/// })?;
/// assert!(name.ends_with('\n'));
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub async fn to_thread<T: Clone + Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    get_running_loop()?.run_in_executor(work).await
}

/// The pool that a loop makes when it needs threads; asyncio's default executor.
#[derive(Default)]
pub(crate) struct DefaultExecutor {
    /// `None` until the first work arrives or the program sets a pool, and after the loop's close.
    pub(crate) pool: Option<ThreadPool>,
    pub(crate) is_shut_down: bool,
}

impl EventLoop {
    // ANCHOR: run_in_executor
    /// Queues work for the loop's pool of threads and returns a future for the work's outcome. When
    /// the call returns, the work is queued, whether or not the loop is running.
    ///
    /// - The work's outcome becomes the future's, unchanged. A panic of the work becomes
    ///   [`Error::Panicked`], and its payload is dropped. Dropping it can panic, which changes
    ///   nothing (`work_on_a_thread`, `what_is_left_of_work`).
    /// - If the pool refuses the work, the future has failed with the pool's error when the call
    ///   returns. asyncio raises that error here (`work_on_a_thread`, `what_is_left_of_work`).
    /// - If the future is cancelled, work that no thread has begun never runs, and the loop keeps
    ///   none of its data. As in asyncio, a callback of the future cancels the work, so a thread
    ///   can still begin it until the next tick (`work_on_a_thread`, `what_is_left_of_work`).
    ///
    /// Free: whether work still runs if other code has given its future an outcome.
    ///
    /// Not checked: work that waits for a thread doesn't keep the loop alive once the last handle
    /// to the loop is dropped.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    pub fn run_in_executor<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Future<T> {
        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let work = Work::new(move || {
            // It fails if the loop is closed, which waits for nothing.
            let _ = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => completer.complete(outcome),
                // The payload is dropped behind this and can panic once more.
                Err(payload) => completer.complete(Err(Error::panicked(&*payload))),
            };
        });
        if let Err(error) = self.submit(work.clone()) {
            // Nothing else has had this future yet, so it's pending.
            let _ = future.set_exception(error);
        } else {
            future.add_done_callback(move |future| {
                if future.cancelled() {
                    work.cancel();
                }
            });
        }
        future
    }
    // ANCHOR_END: run_in_executor

    /// Replaces the loop's pool. The threads of the previous pool finish their queued work and
    /// end.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    pub fn set_default_executor(&self, pool: ThreadPool) {
        self.assert_open_to("set_default_executor");
        let before = self.core.executor.borrow_mut().pool.replace(pool);
        drop(before);
    }

    // ANCHOR: submit
    /// Hands work to the pool, which is made first if the loop has none. Fails if the pool takes no
    /// more work, or if its first thread can't be started; in both cases the work never runs.
    fn submit(&self, work: Work) -> Result<()> {
        let mut executor = self.core.executor.borrow_mut();
        if executor.is_shut_down {
            return Err(Error::other("Executor shutdown has been called"));
        }
        executor.pool.get_or_insert_default().submit(work)
    }
    // ANCHOR_END: submit
}

impl EventLoop {
    /// Shuts the loop's pool down, so that it takes no more work, and waits until its threads have
    /// ended. Queued work still runs. [`run`](crate::run) calls this function at its end.
    ///
    /// asyncio's coroutine has had a timeout since 3.12, and its `run` gives up after five minutes;
    /// this function waits for as long as the work takes.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled. Also fails if the thread that waits for the
    /// pool's threads can't be started.
    pub async fn shutdown_default_executor(&self) -> Result<()> {
        self.core.executor.borrow_mut().is_shut_down = true;
        let join = self.core.executor.borrow().pool.as_ref().map(ThreadPool::joiner);
        let Some(join) = join else { return Ok(()) };
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let builder = thread::Builder::new().name("loop-shutdown".to_owned());
        let joining = builder.spawn(move || {
            join();
            // A loop that's closed doesn't wait for this any more.
            let _ = completer.complete(Ok(()));
        });
        match joining {
            Ok(thread) => {
                let outcome = future.await;
                if outcome.is_ok() {
                    // The thread has nothing left to do, so this doesn't block.
                    let _ = thread.join();
                }
                outcome
            }
            Err(error) => {
                self.forget_remote_future(number);
                Err(CallError::wrap("start thread loop-shutdown", error).into())
            }
        }
    }
}

impl Core {
    /// Shuts the pool down without waiting for its threads, which finish the queued work and end.
    /// Forgets the futures that wait for threads.
    pub(crate) fn drop_executor(&self) {
        let pool = {
            let mut executor = self.executor.borrow_mut();
            executor.is_shut_down = true;
            executor.pool.take()
        };
        drop(pool);
        let waiting = self.remote_futures.take();
        waiting.finish.into_values().for_each(|finish| self.queue.discard(finish));
    }
}
