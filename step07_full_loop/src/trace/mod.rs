//! A trace: for every tick, how long it could sleep and why, what woke it, what it ran, and how long
//! all that took.
//!
//! It shows what no debugger can, because a breakpoint stops the loop and not its clients: why the
//! loop sleeps, why it doesn't, and which callback makes the others late.
//!
//! [`EventLoop::set_trace`] hands each tick to a function, as a [`TickTrace`].
//! [`EventLoop::trace_to`] writes it as a line of JSON, and so does the environment variable
//! `WORKBOOK_TRACE` for every loop of a program:
//!
//! ```text
//! WORKBOOK_TRACE=/dev/stderr cargo run -p step07_full_loop -- play order_in_a_tick
//! ```
//!
//! [`EventLoop::held`] counts what a loop holds meanwhile, and [`EventLoop::waiting`] lists what waits in it.
//!
//! It watches from outside of the tick: `recording.rs` is called around it, for each event, for each
//! timer, and by the queue. So it can also trace a `run_once` that has a mistake.

mod held;
mod moments;
mod recording;
mod tick_trace;
mod to_file;

pub use held::{Holdings, Waiting};
pub(crate) use recording::Trace;
pub use tick_trace::{DueTimer, EventSource, TickTrace, TracedEvent, TracedRun, WhyTimeout};
