//! A trace: for every tick, how long it could sleep and why, what woke it, what it ran, and how
//! long all that took.
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
//! A tool that looks on at a program's loops, wherever the program makes them, learns of each of
//! them by [`on_new_loop`].
//!
//! All times are by the loop's own clock, so on a virtual clock they're the same in every run.
//!
//! It watches from outside the tick: `recording.rs` is called around it, for each event, for
//! each timer, and by the queue. So it can also trace a `run_once` that has a mistake. `causes.rs`
//! watches the queue grow, and so knows what has put there whatever runs.

mod causes;
mod recording;
mod to_file;

use std::os::fd::RawFd;
use std::panic::Location;
use std::time::Duration;

use step03_selector::Interest;
use step04_timers::Time;
use step06_tasks::Ran;

pub(crate) use self::recording::Trace;
pub use self::recording::on_new_loop;

type CreatedAt = &'static Location<'static>;

/// A tick that is over.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TickTrace {
    /// Counts the traced ticks of the loop, from 1.
    pub number: u64,
    /// When it began.
    pub began: Time,
    /// How long it could sleep, which is what it told the clock; `None` means forever.
    pub timeout: Option<Duration>,
    /// The reason for this timeout.
    pub why: WhyTimeout,
    /// How long it has slept: from its beginning until its first event. Without an event, it's
    /// until something has run or the tick has ended, so moving timers into the queue counts too.
    pub slept: Duration,
    /// What the selector has found, in the order in which it reported it.
    pub events: Vec<TracedEvent>,
    /// The timers that have become due.
    pub due: Vec<DueTimer>,
    /// What has run. Cancelled callbacks aren't in it.
    pub ran: Vec<TracedRun>,
    /// How long the whole tick has taken, with its sleep.
    pub took: Duration,
}

/// The reason for a tick's timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyTimeout {
    /// Something is ready to run, or another thread has sent something: no sleep.
    Ready,
    /// The loop should stop: no sleep.
    Stopping,
    /// The nearest timer: a sleep until then.
    Timer,
    /// There's nothing to do and no timer: a sleep until something happens.
    Nothing,
}

/// A descriptor that was ready.
#[derive(Debug, Clone)]
pub struct TracedEvent {
    /// Whose descriptor it is.
    pub source: EventSource,
    /// The descriptor's number; `None` if it's one of those with which the loop is woken.
    pub fd: Option<RawFd>,
    /// The directions that were ready.
    pub ready: Interest,
}

/// The owner of a descriptor.
#[derive(Debug, Clone)]
pub enum EventSource {
    /// The loop itself: another thread has sent something, or a signal has arrived.
    Wakeup,
    /// Callbacks, and where `add_reader` and `add_writer` were called.
    Callbacks {
        /// The reader's place.
        reader: Option<CreatedAt>,
        /// The writer's place.
        writer: Option<CreatedAt>,
    },
    /// A stream or a listener.
    Stream,
}

/// A timer that has become due.
#[derive(Debug, Clone)]
pub enum DueTimer {
    /// A callback, and where `call_later` or `call_at` was called.
    Callback(CreatedAt),
    /// A task's sleep.
    Sleep,
}

/// Something that has run.
#[derive(Debug, Clone)]
pub struct TracedRun {
    /// What it was.
    pub what: Ran,
    /// The name that it gave itself by [`name_in_trace`](crate::EventLoop::name_in_trace).
    pub name: Option<String>,
    /// What has put it into the queue; `None` if it was nothing that the trace has seen, such as
    /// the program before its loop ran.
    pub by: Option<QueuedBy>,
    /// How long it has taken.
    pub took: Duration,
}

/// What has put something into the queue, counted from 0. (What other threads send counts as
/// whatever was going on when the queue took it.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuedBy {
    /// One of the tick's own [`events`](TickTrace::events).
    Event(usize),
    /// One of the tick's own [`due`](TickTrace::due) timers.
    Timer(usize),
    /// What [`ran`](TickTrace::ran) in the tick before.
    Run(usize),
}
