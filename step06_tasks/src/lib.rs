//! Step 06: futures, tasks and the ready queue.
//!
//! Steps 02 to 05 taught the loop to wait. This layer is the other half: what the loop runs when a
//! wait is over, and how a function can pause in the middle and continue later.
//!
//! - [`Dialogue`]: a function that pauses, written by hand as a state machine;
//! - [`Future`]: a place for a result, and a list of callbacks; a [`WeakFuture`] doesn't keep the
//!   future alive, and a [`CancelOverride`] decides what cancelling a future means;
//! - [`ReadyQueue`]: callbacks and tasks that can run, first in, first out; a [`Runnable`] is an
//!   entry of the queue;
//! - [`Handle`]: a callback in the queue, which can be cancelled;
//! - [`Task`]: a future that drives a coroutine and can be cancelled; [`AnyTask`] is a task whose
//!   result type has been erased, and [`current_task`] returns the task that's running;
//! - [`QueueHandle`]: the queue as other threads see it; a [`Drain`] tells the queue which
//!   descriptor has woken the loop;
//! - [`yield_now`]: the smallest leaf future; [`check_cancelled`]: the check that a leaf should
//!   make first;
//! - [`LocalWaker`]: the waker of a task on the loop's own thread, for the loop to keep;
//! - [`Observer`]: a trait for code that a queue notifies of each entry it runs;
//!   [`observe_new_queues`], [`WaitsFor`] and [`WeakQueue`]: for a tool that watches a program
//!   from outside;
//! - [`join_all`]: waits for many tasks;
//! - [`Error`]: the reason why a task or future has no result; [`ExceptionContext`]: an error that
//!   no caller will get, with its details.
//!
//! The tasks are kept in the table of step 03, and messages from other threads arrive in the inbox
//! of step 05. The loop so far uses this layer together with the earlier layers:
//!
//! - [`Reactor`]: a selector that wakes the tasks waiting for its descriptors;
//! - [`EchoServer`]: the server whose clients are tasks.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod any_task;
mod callbacks;
mod cancelling;
mod dialogue;
mod echo_server;
mod error;
#[cfg(feature = "experiments")]
#[path = "../experiments/for_trials.rs"]
pub mod for_trials;
mod future;
mod handle;
mod join;
mod observer;
mod overriding;
mod places;
mod ready_queue;
mod step;
mod task;

pub use any_task::{AnyTask, WaitsFor};
pub use callbacks::CallbackId;
pub use dialogue::{Dialogue, Lines, dialogue};
pub use echo_server::{EchoServer, Reactor, Stopper, serve};
pub use error::{Error, Result};
pub use future::{Future, WeakFuture};
pub use handle::{Handle, Runnable};
pub use join::join_all;
pub use observer::{Observer, Ran, WeakQueue, observe_new_queues};
pub use overriding::CancelOverride;
pub use places::Places;
pub use ready_queue::{Drain, Entered, ExceptionContext, LocalWaker, QueueHandle, ReadyQueue};
pub use step::{check_cancelled, current_task, yield_now};
pub use task::Task;
