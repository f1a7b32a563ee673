//! Step 07: the full loop, with asyncio's semantics, on the layers of steps 01 to 06.
//!
//! - [`EventLoop`]: schedules callbacks and timers, watches descriptors, drives tasks;
//! - [`run`], [`create_task`], [`ensure_future`], [`sleep`], [`get_running_loop`]: the loop's
//!   functions for coroutines;
//! - [`Runner`]: runs several main coroutines on one loop, one after another;
//! - [`TcpListener`], [`TcpStream`], [`UnixListener`], [`UnixStream`]: sockets that can be awaited;
//! - [`TimerHandle`], [`LoopHandle`]: a timer that can be cancelled, and a handle to the loop for
//!   other threads;
//! - [`to_thread`], [`ThreadPool`]: blocking work in threads, while the loop runs on;
//! - [`Completer`]: the handle with which another thread finishes a future;
//! - [`TickTrace`], [`Holdings`], [`Waiting`]: the trace of a tick, counts of the loop's tasks,
//!   timers and descriptors, and the loop's waiting entries; [`on_new_loop`]: for a tool that
//!   watches a program from outside;
//! - [`serve`], [`serve_until_stopped`], [`accept_clients`], [`Clients`]: the echo server and its
//!   graceful shutdown;
//! - [`LoopError`], [`LoopResult`]: the reason why a request to the loop has failed, and the result
//!   of such a request;
//! - [`ExceptionContext`]: the argument of an exception handler.
//!
//! The crate `asyncio` adds the parts that asyncio builds on its loop: `gather`, locks and queues,
//! streams with buffers, protocols. That crate uses the following items, which a library of your
//! own can use, too:
//!
//! - [`AsyncFd`]: your own descriptor on this loop;
//! - [`recv`], [`send`], [`send_or_keep`], [`expect_stream`], [`expect_datagrams`],
//!   [`AcceptFailure`]: calls, checks and errors for sockets of every family;
//! - [`EventLoop::scratch`], [`Scratch`]: a buffer for connections that own none;
//! - [`EventLoop::attached`], [`ClosesWithTheLoop`]: objects that end with the loop;
//! - [`EventLoop::future_or_task`], [`Either`]: a new task for a coroutine, or an existing future
//!   or task;
//! - [`EventLoop::create_future_with`], [`CancelOverride`]: a future that decides for itself what
//!   cancelling it means;
//! - [`AnyTask::expect_to_be_destroyed`]: for a task that needn't end before its loop;
//! - [`EventLoop::id`], [`LoopId`]: the identity of a loop;
//! - [`EventLoop::discard`], [`ReadyQueue`]: a drop whose panic is reported, and step 06's queue,
//!   on which the loop is built.
//!
//! The following items let you run this loop inside another loop or as another language's event
//! loop:
//!
//! - `EventLoop` implements [`AsFd`](std::os::fd::AsFd): its descriptor is readable when a tick
//!   would find an event;
//! - [`EventLoop::with_queue`]: makes a loop on a queue and a clock of your own;
//! - [`EventLoop::interrupt`]: ends a run in the middle of a tick; the next run begins with the
//!   rest of that tick;
//! - [`forget_running_loop`]: for the child after `fork(2)`;
//! - [`errno`]: the kernel's number for an error.
//!
//! A coroutine is any Rust future whose output is a [`Result`], usually an `async` block.
//! Cancelling a waiting task makes the innermost future that the task awaits return
//! `Err(Error::Cancelled)`, and `?` carries the error out of the coroutine.
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
#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod echo_server;
mod error;
mod event_loop;
mod run;
mod sockets;
mod threads;
mod trace;

pub use echo_server::{Clients, accept_clients, serve, serve_until_stopped};
pub use error::{LoopError, LoopResult};
pub use event_loop::{
    AsyncFd, ClosesWithTheLoop, Either, EventLoop, Holdings, LoopHandle, LoopId, TimerHandle,
    Waiting, create_task, ensure_future, forget_running_loop, get_running_loop, sleep,
};
pub use run::{Runner, run};
pub use sockets::{
    AcceptFailure, Scratch, Stream, TcpListener, TcpStream, UnixListener, UnixStream,
    expect_datagrams, expect_stream, recv, send, send_or_keep,
};
pub use step01_fd::Read;
pub use step03_selector::{Interest, errno};
pub use step04_timers::{Clock, MonotonicClock, Time, VirtualClock};
pub use step05_selfpipe::{LoopWaker, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
pub use step06_tasks::{
    AnyTask, CancelOverride, Error, ExceptionContext, Future, Handle, Ran, ReadyQueue, Result,
    Task, WaitsFor, WeakFuture, current_task, yield_now,
};
pub use threads::{Completer, ThreadPool, to_thread};
pub use trace::{
    EventSource, QueuedBy, TickTrace, TracedEvent, TracedRun, WhyTimeout, on_new_loop,
};
