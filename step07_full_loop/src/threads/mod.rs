//! Threads for work that blocks: what would freeze the loop runs next to it, and the result comes back
//! through the self-pipe.
//!
//! A loop has one thread. While a callback computes or waits in a system call, nothing else on the
//! loop runs: no other client, no timer, no signal. So such work goes to a pool of threads, and a
//! future on the loop stands for its result.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `handle.rs` | [`LoopHandle`]: what other threads hold of a loop, though it isn't `Send` |
//! | `completer.rs` | [`Completer`]: what they hold of a future |
//! | `pool.rs` | [`ThreadPool`]: some threads and a queue of work, bounded, without a loop |
//! | `executor.rs` | `run_in_executor`, [`to_thread`]: the two together, and the pool's end |
//!
//! (asyncio: `threads.py`, `run_in_executor` in `base_events.py`, `wrap_future` in `futures.py`, and
//! `concurrent/futures/thread.py`)

mod completer;
mod executor;
mod handle;
mod pool;

pub use completer::Completer;
pub use executor::to_thread;
pub use handle::LoopHandle;
pub(crate) use handle::RemoteFutures;
pub(crate) use pool::DefaultExecutor;
pub use pool::ThreadPool;
