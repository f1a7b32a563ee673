//! asyncio's library, built on the loop of step 07, with the names that CPython's `asyncio` uses.
//!
//! The loop itself comes from [`step07_full_loop`]. This crate re-exports that crate's public
//! items, so a program needs only this crate and reads like its Python twin: `asyncio::run`,
//! `asyncio::gather`, `asyncio::open_connection`.
//!
//! - [`gather`], [`wait`], [`as_completed`], [`shield`], [`wait_for`], [`timeout`], [`TaskGroup`]:
//!   waiting for tasks, with or without a time limit;
//! - [`Lock`], [`Event`], [`Condition`], [`Semaphore`], [`BoundedSemaphore`], [`Barrier`]: objects
//!   with which tasks wait for each other;
//! - [`Queue`], [`PriorityQueue`], [`LifoQueue`]: queues that pass items between tasks;
//! - [`open_connection`], [`start_server`], [`StreamReader`], [`StreamWriter`], [`Server`]:
//!   buffered streams, for clients and servers;
//! - [`Protocol`], [`Transport`], [`StreamSocket`]: connections that call your code;
//! - [`Address`], [`connect_tcp`], [`UdpSocket`]: name lookups, connections without buffers, and
//!   datagrams;
//! - [`create_subprocess`], [`Process`], [`PipeReader`], [`PipeWriter`]: starting other programs;
//! - [`EventLoopExt`]: further methods of asyncio's loops, such as `create_connection` and
//!   `sock_recv`.
//!
//! ```
//! use std::time::Duration;
//! use asyncio::{gather, run, sleep};
//!
//! let results = run(async {
//!     gather([1, 2, 3].map(|number| async move {
//!         sleep(Duration::from_millis(number)).await?;
//!         Ok(number * number)
//!     }))?
//!     .await
//! })?;
//! assert_eq!(results, [1, 4, 9]);
//! # Ok::<(), asyncio::LoopError>(())
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod event_loop_ext;
mod net;
mod streams;
mod subprocess;
mod sync;
mod transports;
mod wait_list;
mod waiting;

pub use event_loop_ext::EventLoopExt;
pub use net::{Address, Server, ServerOptions, UdpSocket, connect_tcp};
pub use step07_full_loop::*;
pub use streams::{
    IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter, open_connection,
    open_connection_on, open_unix_connection, start_server, start_unix_server,
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
