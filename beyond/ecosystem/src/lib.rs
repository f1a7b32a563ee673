//! Adapters between step 07's loop and other crates: hyper, axum, rustls, tungstenite.
//!
//! A library that isn't tied to a runtime needs very little: a way to poll a socket, a timer, and
//! sometimes a way to start a task. This crate provides all three, and more:
//!
//! - [`Io`]: a socket or a pipe, with the traits of `futures-io`;
//! - [`HyperIo`]: a wrapper that gives hyper's traits to anything that has those of `futures-io`;
//! - [`LoopTimer`]: hyper's timer, and a sleep that's `Send`;
//! - [`LoopExecutor`]: hyper's way to start a task;
//! - [`connections`]: a listener as a stream of connections;
//! - [`Serve`]: an HTTP server built on these, with a graceful shutdown; [`Tower`] lets it serve
//!   axum's routers;
//! - [`cancellable`], [`cancellation_in`]: cancellation inside code that doesn't know about the
//!   loop;
//! - [`on_this_thread`], [`Errands`]: two ways to use values that aren't `Send` in a handler that
//!   has to be `Send`.
//!
//! The adapters use only what the loop offers to any library, such as
//! [`AsyncFd`](asyncio::AsyncFd), [`scratch`](asyncio::EventLoop::scratch),
//! [`attached`](asyncio::EventLoop::attached), and `check_cancelled` from step 06. So they run on
//! your own layers as well.

#![forbid(unsafe_code)]

mod cancelling;
mod connections;
mod executor;
mod hyper_io;
mod io;
mod sends;
mod serve;
mod timer;

pub use cancelling::{cancellable, cancellation_in};
pub use connections::connections;
pub use executor::LoopExecutor;
pub use hyper_io::HyperIo;
pub use io::{EndsWriting, Io};
pub use sends::{Errands, on_this_thread};
pub use serve::{Serve, Tower};
pub use timer::{LoopSleep, LoopTimer};
