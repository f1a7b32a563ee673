//! Step 07: the full loop, asyncio's meaning on the six layers below.
//!
//! - [`EventLoop`]: schedules callbacks and timers, watches descriptors, drives tasks;
//! - [`run`], [`create_task`], [`ensure_future`], [`sleep`], [`get_running_loop`]: what a coroutine uses
//!   of it;
//! - [`Runner`]: what [`run`] does, for several mains on one loop;
//! - [`gather`], [`wait`], [`as_completed`], [`shield`], [`wait_for`], [`timeout`], [`TaskGroup`]: waiting
//!   for many, and not for too long;
//! - [`TcpListener`], [`TcpStream`], [`UnixListener`], [`UnixStream`], [`UdpSocket`]: sockets that can be
//!   awaited;
//! - [`open_connection`], [`start_server`], [`StreamReader`], [`StreamWriter`], [`Server`]: streams with
//!   buffers;
//! - [`Protocol`], [`Transport`], [`StreamSocket`]: connections that call you;
//! - [`create_subprocess`], [`Process`], [`PipeReader`], [`PipeWriter`]: other programs;
//! - [`TimerHandle`], [`LoopHandle`]: a timer to cancel, and the loop, as other threads see it;
//! - [`to_thread`], [`ThreadPool`]: work that blocks, beside the loop;
//! - [`Completer`]: the end of a future that another thread finishes;
//! - [`Lock`], [`Event`], [`Condition`], [`Semaphore`], [`BoundedSemaphore`], [`Barrier`]: tasks that
//!   wait for each other;
//! - [`Queue`], [`PriorityQueue`], [`LifoQueue`]: items from task to task;
//! - [`TickTrace`]: what a tick has done, for a trace;
//! - [`serve`], [`serve_until_stopped`], [`accept_clients`], [`Clients`]: the echo server, and its graceful end;
//! - [`LoopError`], [`LoopResult`]: what the loop refuses;
//! - [`ExceptionContext`]: what an exception handler is told.
//!
//! A coroutine is any `async` block that ends in a [`Result`]. Cancelling a task makes the leaf it
//! awaits yield `Err(Error::Cancelled)`, and `?` carries it out.
//!
//! ```
//! use std::time::Duration;
//! use step07_full_loop::{create_task, run, sleep};
//!
//! let sum = run(async {
//!     let slow = create_task(async {
//!         sleep(Duration::from_millis(2)).await?;
//!         Ok(1)
//!     })?;
//!     sleep(Duration::from_millis(1)).await?;
//!     Ok(slow.await? + 1)
//! })?;
//! assert_eq!(sum, 2);
//! # Ok::<(), step07_full_loop::LoopError>(())
//! ```

#![forbid(unsafe_code)]

mod echo_server;
mod error;
mod event_loop;
mod for_trials;
mod net;
mod runner;
mod sleep;
mod subprocess;
mod sync;
mod transports;
mod waiting;

pub use echo_server::{Clients, accept_clients, serve, serve_until_stopped};
pub use error::{LoopError, LoopResult};
pub use event_loop::{
    Completer, DueTimer, EventLoop, EventSource, LoopHandle, ThreadPool, TickTrace, TimerHandle,
    TracedEvent, TracedRun, WhyTimeout, create_task, ensure_future, get_running_loop, to_thread,
};
pub use net::{
    Address, IncompleteReadError, LimitOverrunError, Server, ServerOptions, Stream, StreamReader,
    StreamWriter, TcpListener, TcpStream, UdpSocket, UnixListener, UnixStream, open_connection,
    open_connection_on, open_unix_connection, start_server, start_unix_server,
};
pub use runner::{Runner, run};
pub use sleep::sleep;
pub use step01_fd::Read;
pub use step03_selector::Interest;
pub use step04_timers::{Clock, MonotonicClock, Time, VirtualClock};
pub use step05_selfpipe::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
pub use step06_tasks::{
    AnyTask, CancelOverride, Error, ExceptionContext, Future, Handle, Ran, Result, Task,
    WeakFuture, current_task, yield_now,
};
pub use subprocess::{PipeReader, PipeWriter, Process, create_subprocess};
pub use sync::{
    Barrier, BoundedSemaphore, Condition, Event, Held, HeldCondition, LifoQueue, Lock,
    PriorityQueue, Queue, QueueItems, QueueOf, Semaphore, SyncError,
};
pub use transports::{Protocol, StreamSocket, Transport};
pub use waiting::{
    ExceptionGroup, FutureLike, ReturnWhen, TaskGroup, Timeout, TimeoutError, as_completed, gather,
    gather_return_exceptions, shield, timeout, timeout_at, wait, wait_for,
};
