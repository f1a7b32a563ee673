//! The far end of a future that another thread finishes.
//!
//! A future isn't `Send`: it stays on the loop's thread, in a table, and the other thread has the
//! future's number in the table instead. The outcome travels in a cell that both threads share, and
//! a callback makes the loop look the number up. Like every message, the callback goes through the
//! inbox, and the self-pipe or the eventfd wakes the loop. As in asyncio's `_chain_future`, a task
//! that awaits the future runs one tick after the future is done.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use step06_tasks::{Error, Future, Result};

use crate::LoopResult;
use crate::event_loop::{EventLoop, LoopHandle, get_running_loop};

// ANCHOR: completer
/// The cell for an outcome, shared by the loop and the other thread.
type Outcome<T> = Arc<Mutex<Option<Result<T>>>>;

/// The other thread's end of a future, which finishes the future once, from any thread. If this end
/// is dropped first, for example because its thread has panicked, the future fails.
pub struct Completer<T: Send + 'static> {
    /// The future's number in its loop's table.
    number: u64,
    outcome: Outcome<T>,
    handle: LoopHandle,
    has_finished_it: bool,
}
// ANCHOR_END: completer

/// A loop's table of the futures that other threads will finish.
#[derive(Default)]
pub(crate) struct RemoteFutures {
    made: u64,
    /// For each future's number, the closure that finishes the future. Only this closure knows the
    /// type of the outcome.
    pub(super) finish: HashMap<u64, Box<dyn FnOnce()>>,
}

impl RemoteFutures {
    fn insert(&mut self, finish: Box<dyn FnOnce()>) -> u64 {
        self.made += 1;
        self.finish.insert(self.made, finish);
        self.made
    }
}

impl EventLoop {
    /// Makes a future and the completer with which another thread finishes the future. In asyncio,
    /// a thread can have the future itself and calls
    /// `loop.call_soon_threadsafe(future.set_result, result)`.
    ///
    /// ```
    /// let answer = step07_full_loop::run(async {
    ///     let event_loop = step07_full_loop::get_running_loop()?;
    ///     let (future, completer) = event_loop.create_remote_future();
    ///     std::thread::spawn(move || completer.complete(Ok(42)));
    ///     future.await
    /// })?;
    /// assert_eq!(answer, 42);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn create_remote_future<T: Send + 'static>(&self) -> (Future<T>, Completer<T>) {
        let (future, outcome) = (self.create_future(), Outcome::<T>::default());
        let (waiting, brought) = (future.clone(), Arc::clone(&outcome));
        let finish = move || {
            let brought = brought.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(brought) = brought {
                // This fails if the future has been given another outcome meanwhile; then the
                // thread's outcome is dropped.
                let _ = match brought {
                    Ok(result) => waiting.set_result(result),
                    Err(error) => waiting.set_exception(error),
                };
            }
        };
        let number = self.core.remote_futures.borrow_mut().insert(Box::new(finish));
        let completer =
            Completer { number, outcome, handle: self.handle(), has_finished_it: false };
        (future, completer)
    }

    /// Returns true if the loop still expects another thread's outcome, even for a future that has
    /// been cancelled: the outcome hasn't arrived, or the loop hasn't yet run the callback that
    /// takes it. A virtual clock should stand still meanwhile: otherwise chance would decide
    /// whether a timer or the outcome comes first.
    ///
    /// ```
    /// step07_full_loop::run(async {
    ///     let event_loop = step07_full_loop::get_running_loop()?;
    ///     let (future, completer) = event_loop.create_remote_future();
    ///     completer.complete(Ok(42))?;
    ///     assert!(event_loop.waits_for_a_thread());
    ///     future.await?;
    ///     assert!(!event_loop.waits_for_a_thread());
    ///     Ok(())
    /// })?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn waits_for_a_thread(&self) -> bool {
        !self.core.remote_futures.borrow().finish.is_empty()
    }

    /// Forgets a future: an outcome that another thread sends later is dropped.
    pub(crate) fn forget_remote_future(&self, number: u64) {
        let forgotten = self.core.remote_futures.borrow_mut().finish.remove(&number);
        // In a statement of its own, when the table is no longer borrowed.
        drop(forgotten);
    }

    /// Finishes a future with the outcome in its cell. Does nothing if the future is already
    /// forgotten or finished.
    fn finish_remote_future(&self, number: u64) {
        let finish = self.core.remote_futures.borrow_mut().finish.remove(&number);
        if let Some(finish) = finish {
            finish();
        }
    }
}

impl<T: Send + 'static> Completer<T> {
    /// Finishes the future with this outcome, from any thread, even the loop's own or a thread with
    /// another loop. If the future has been cancelled meanwhile, the outcome is dropped.
    ///
    /// The future stays pending until its loop runs a callback that finishes it. Unless messages
    /// flood the loop, that callback runs in the order of scheduling among the callbacks of
    /// `call_soon` and `call_soon_threadsafe`.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Closed`](crate::LoopError::Closed) if the loop is closed.
    pub fn complete(mut self, outcome: Result<T>) -> LoopResult<()> {
        self.has_finished_it = true;
        self.send(outcome)
    }

    /// Returns the future's number, with which its loop can forget the future.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Puts the outcome into the cell first and wakes the loop second, so that a loop that's woken
    /// finds the outcome.
    fn send(&self, outcome: Result<T>) -> LoopResult<()> {
        let number = self.number;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.handle.call_soon_threadsafe(move || {
            // The future's loop runs this callback, unless the program runs the queue itself, which
            // it mustn't do inside another loop: that loop can have futures with the same numbers.
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        })
    }
}

impl<T: Send + 'static> Drop for Completer<T> {
    fn drop(&mut self) {
        // If the loop has forgotten the future, no task waits, and this is the only owner of the
        // outcome's cell.
        if !self.has_finished_it && Arc::strong_count(&self.outcome) > 1 {
            // This fails if the loop is closed, and a closed loop waits for nothing.
            let _ = self.send(Err(Error::other("the completer was dropped")));
        }
    }
}

impl<T: Send + 'static> fmt::Debug for Completer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completer").field("number", &self.number).finish_non_exhaustive()
    }
}
