//! A future that another thread finishes.
//!
//! A future isn't `Send`: it stays on the loop's thread, in a table, and the other thread only has its
//! number there. It puts the outcome into a cell that the two share, and sends a callback to the loop,
//! which looks the number up. So the outcome takes the way of every message, through the inbox and
//! the self-pipe; and as in asyncio, what waits for the future runs a tick after it's finished.
//! (asyncio: `_chain_future`)

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use step06_tasks::{Future, Result};

use crate::event_loop::EventLoop;
use crate::event_loop::handle::LoopHandle;
use crate::event_loop::running::get_running_loop;

/// The futures of a loop that other threads will finish.
#[derive(Default)]
pub(crate) struct RemoteFutures {
    made: u64,
    /// How to finish each one. A function, because it knows the type of the outcome.
    finish: HashMap<u64, Box<dyn FnOnce()>>,
}

type Outcome<T> = Arc<Mutex<Option<Result<T>>>>;

/// The other thread's end: it finishes the future.
pub(crate) struct Completer<T> {
    number: u64,
    outcome: Outcome<T>,
    handle: LoopHandle,
}

impl EventLoop {
    /// Makes a future, its number in the table, and the end for another thread.
    pub(crate) fn create_remote_future<T: Send + 'static>(&self) -> (Future<T>, u64, Completer<T>) {
        let (future, outcome) = (self.create_future(), Outcome::<T>::default());
        let (waiting, brought) = (future.clone(), Arc::clone(&outcome));
        let finish = move || {
            let brought = brought.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(brought) = brought {
                // It fails if the future has been given another outcome meanwhile; then this one is
                // dropped.
                let _ = match brought {
                    Ok(result) => waiting.set_result(result),
                    Err(error) => waiting.set_exception(error),
                };
            }
        };
        let number = self.core.remote_futures.borrow_mut().insert(Box::new(finish));
        (future, number, Completer { number, outcome, handle: self.handle() })
    }

    /// Forgets a future: what another thread brings for it is dropped.
    pub(crate) fn forget_remote_future(&self, number: u64) {
        let forgotten = self.core.remote_futures.borrow_mut().finish.remove(&number);
        // In a statement of its own, when the table isn't borrowed any more.
        drop(forgotten);
    }

    fn finish_remote_future(&self, number: u64) {
        let finish = self.core.remote_futures.borrow_mut().finish.remove(&number);
        if let Some(finish) = finish {
            finish();
        }
    }
}

impl RemoteFutures {
    fn insert(&mut self, finish: Box<dyn FnOnce()>) -> u64 {
        self.made += 1;
        self.finish.insert(self.made, finish);
        self.made
    }
}

impl<T: Send + 'static> Completer<T> {
    /// Sends the outcome to the loop, from any thread. If the loop is closed, it's dropped.
    pub(crate) fn complete(self, outcome: Result<T>) {
        let number = self.number;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        // A loop that's closed waits for nothing any more.
        let _ = self.handle.call_soon_threadsafe(move || {
            // Callbacks run in a loop that runs.
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        });
    }
}
