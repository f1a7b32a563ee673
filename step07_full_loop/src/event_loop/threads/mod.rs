//! Threads for work that blocks: what would freeze the loop runs beside it, and its result comes
//! back through the self-pipe.
//!
//! A loop has one thread. While a callback computes or waits in a system call, nothing else on the
//! loop runs: no other client, no timer, no signal. So such work goes to a pool of threads, and a
//! future on the loop stands for its result.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `pool.rs` | [`ThreadPool`]: some threads and a queue of work, bounded, without a loop |
//! | `work.rs` | a piece of work, which can be cancelled until a thread begins it |
//! | `remote_future.rs` | a future that another thread finishes, though futures aren't `Send` |
//! | `executor.rs` | `run_in_executor`, [`to_thread`]: the three together |
//! | `shutdown.rs` | the end of the pool, for which the loop waits without blocking |
//!
//! (asyncio: `threads.py`, `run_in_executor` in `base_events.py`, `wrap_future` in `futures.py`, and
//! `concurrent/futures/thread.py`)

mod executor;
mod pool;
mod remote_future;
mod shutdown;
mod work;

pub(crate) use executor::DefaultExecutor;
pub use executor::to_thread;
pub use pool::ThreadPool;
pub use remote_future::OwnedCompleter as Completer;
pub(crate) use remote_future::RemoteFutures;
