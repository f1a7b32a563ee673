//! Threads for work that blocks: work that would freeze the loop runs next to it, and the result
//! comes back through the self-pipe.
//!
//! A loop has one thread. While a callback computes or waits in a system call, nothing else on the
//! loop runs: no other client, no timer, no signal. So such work goes to a pool of threads, and a
//! future on the loop stands for its result.
//!
//! | file | contents |
//! | --- | --- |
//! | `completer.rs` | [`Completer`]: other threads' end of a future, though that isn't `Send` |
//! | `pool.rs` | [`ThreadPool`]: some threads and a queue of work, bounded, without a loop |
//! | `executor.rs` | `run_in_executor`, [`to_thread`]: work on the pool, and the pool's end |
//!
//! (asyncio: `threads.py`, `run_in_executor` in `base_events.py`, `wrap_future` in `futures.py`,
//! and `concurrent/futures/thread.py`)

mod completer;
mod executor;
mod pool;

use std::collections::HashMap;

pub use completer::Completer;
pub use executor::to_thread;
pub(crate) use pool::DefaultExecutor;
pub use pool::ThreadPool;

/// The futures of a loop that other threads will finish.
#[derive(Default)]
pub(crate) struct RemoteFutures {
    made: u64,
    /// By number, a function that finishes that future. It's a closure because only the closure
    /// knows the type of the outcome.
    finish: HashMap<u64, Box<dyn FnOnce()>>,
}

impl RemoteFutures {
    fn insert(&mut self, finish: Box<dyn FnOnce()>) -> u64 {
        self.made += 1;
        self.finish.insert(self.made, finish);
        self.made
    }
}
