//! Step 06: futures, tasks and the ready queue.
//!
//! Whale by whale the loop has learned to wait. This layer is the other half: what is there to
//! run when the waiting is over, and how a function can stop in its middle and go on later.
//!
//! - [`ReadyQueue`]: callbacks and tasks that can run, first in, first out;
//! - [`Handle`]: a callback in the queue, which can be cancelled;
//! - [`Future`]: a place for a result, and a list of whom to tell;
//! - [`Task`]: a future that drives a coroutine, and can be cancelled;
//! - [`Remote`]: the queue's face for other threads;
//! - [`yield_now`], [`check_cancelled`]: leaf futures, and what every leaf of a higher layer does;
//! - [`Error`]: why there is no result.
//!
//! It stands on `std::future::Future`, `Context` and `Waker`, and on no other layer.

#![forbid(unsafe_code)]

mod control;
mod error;
mod future;
mod handle;
mod inbox;
mod leaf;
mod local;
mod ready_queue;
mod task;
mod task_table;

pub use error::{Error, Result};
pub use future::Future;
pub use handle::Handle;
pub use inbox::Remote;
pub use leaf::{check_cancelled, yield_now};
pub use local::Entered;
pub use ready_queue::ReadyQueue;
pub use task::Task;

/// The echo server on the loop so far.
pub fn serve(_port: u16) -> std::io::Result<()> {
    Err(std::io::Error::other("under construction"))
}
