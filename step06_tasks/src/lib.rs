//! Step 06: futures, tasks and the ready queue.
//!
//! Steps 02 to 05 taught the loop to wait. This layer is the other half: what the loop runs when a
//! wait is over, and how a function can pause in the middle and continue later.
//!
//! - [`Dialogue`]: a function that pauses, written by hand as a state machine;
//! - [`Future`]: a place for a result, and a list of what waits for it; [`WeakFuture`] doesn't keep it,
//!   and with [`CancelOverride`] it decides what cancelling it means;
//! - [`ReadyQueue`]: callbacks and tasks that can run, first in, first out;
//! - [`Handle`]: a callback in the queue, which can be cancelled;
//! - [`Task`]: a future that drives a coroutine, and can be cancelled; [`AnyTask`] is one without the
//!   type of its result, and [`current_task`] the one that is running;
//! - [`QueueHandle`]: the queue, as other threads see it;
//! - [`yield_now`], [`check_cancelled`]: leaf futures, and what every leaf of a higher layer does;
//! - [`LocalWaker`]: wakes a task from its own thread, for what a loop keeps;
//! - [`Observer`]: is told what the queue runs, for a loop that measures it;
//! - [`join_all`]: waiting for many tasks;
//! - [`Error`]: why there is no result; [`ExceptionContext`]: what is known of one that has no caller.
//!
//! The tasks are kept in the table of step 03, and what other threads send arrives in the inbox of
//! step 05. The loop so far uses all of it with the layers below:
//!
//! - [`Reactor`]: a leaf future that waits for a descriptor;
//! - [`EchoServer`]: the server whose clients are tasks.

#![forbid(unsafe_code)]

mod any_task;
mod callbacks;
mod cancelling;
mod closing;
mod control;
mod current_queue;
mod current_task;
mod dialogue;
mod done_callback;
mod echo_server;
mod error;
mod exception_context;
mod for_trials;
mod future;
mod future_state;
mod handle;
mod join;
mod leaf;
mod local_waker;
mod observer;
mod overriding;
mod queue_handle;
mod ready_queue;
mod remote;
mod reporting;
mod spare;
mod task;
mod task_handle;
mod task_waker;
mod tasks;
mod weak_future;

pub use any_task::AnyTask;
pub use callbacks::CallbackId;
pub use current_queue::Entered;
pub use current_task::current_task;
pub use dialogue::{Dialogue, Lines, dialogue};
pub use echo_server::{EchoServer, Reactor, Stopper, serve};
pub use error::{Error, Result};
pub use exception_context::ExceptionContext;
pub use future::Future;
pub use handle::Handle;
pub use join::join_all;
pub use leaf::{check_cancelled, yield_now};
pub use local_waker::LocalWaker;
pub use observer::{Observer, Ran};
pub use overriding::CancelOverride;
pub use queue_handle::QueueHandle;
pub use ready_queue::ReadyQueue;
pub use task_handle::Task;
pub use weak_future::WeakFuture;
