//! Step 06: futures, tasks and the ready queue.
//!
//! Whale by whale the loop has learned to wait. This layer is the other half: what is there to
//! run when the waiting is over, and how a function can stop in its middle and go on later.
//!
//! - [`ReadyQueue`]: callbacks and tasks that can run, first in, first out;
//! - [`Handle`]: a callback in the queue, which can be cancelled;
//! - [`Future`]: a place for a result, and a list of whom to tell;
//! - [`Task`]: a future that drives a coroutine, and can be cancelled;
//! - [`QueueHandle`]: the queue's face for other threads;
//! - [`yield_now`], [`check_cancelled`]: leaf futures, and what every leaf of a higher layer does;
//! - [`Error`]: why there is no result.
//!
//! These stand on `std::future::Future`, `Context` and `Waker`, and on no other layer. The loop so
//! far uses them with the layers below:
//!
//! - [`Reactor`]: a leaf future that waits for a descriptor;
//! - [`EchoServer`]: the server whose clients are tasks.

#![forbid(unsafe_code)]

mod control;
mod echo_server;
mod error;
mod future;
mod handle;
mod inbox;
mod leaf;
mod local;
mod ready_queue;
mod task;
mod task_table;

pub use echo_server::{EchoServer, Reactor, Stopper, serve};
pub use error::{Error, Result};
pub use future::Future;
pub use handle::Handle;
pub use inbox::QueueHandle;
pub use leaf::{check_cancelled, yield_now};
pub use local::Entered;
pub use ready_queue::ReadyQueue;
pub use task::Task;
