//! A trace shows, for each tick, how long the tick could sleep and why, the events and due timers
//! that it found, the entries that ran, and the time that the tick took.
//!
//! With a trace you see why the loop sleeps, why it doesn't, and which callback delays other
//! callbacks. A debugger can't show that, because a breakpoint stops the loop but not its clients.
//!
//! [`EventLoop::set_trace`] hands each tick to a function, as a [`TickTrace`].
//! [`EventLoop::trace_to`] writes each tick as a line of JSON. The environment variable
//! `WORKBOOK_TRACE` names a file to which every loop of a program writes such lines:
//!
//! ```text
//! WORKBOOK_TRACE=/dev/stderr cargo run -p step07_full_loop -- play order_in_a_tick
//! ```
//!
//! Through [`on_new_loop`], a tool that watches a program from outside gets each new loop of the
//! tool's thread, whichever code makes the loop.
//!
//! All times come from the loop's own clock. So on a virtual clock, a program that depends on
//! nothing outside has the same times in every run.
//!
//! A trace watches from outside the tick: `recording.rs` is called around the tick, for each event,
//! for each due timer, and by the queue. So you can also trace a `run_once` that has a mistake. The
//! trace finds an entry's cause by watching the queue grow: if the queue grows while an event is
//! processed, for example, that event has put the new entry there.

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

/// The record of a tick that has ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TickTrace {
    /// The number of the tick among the loop's traced ticks, from 1.
    pub number: u64,
    /// The time at which the tick began.
    pub began: Time,
    /// The time that the tick could sleep, as passed to the clock; `None` means forever.
    pub timeout: Option<Duration>,
    /// The reason for this timeout.
    pub why: WhyTimeout,
    /// The sleep, from the tick's beginning to its first event. Without an event, the sleep lasts
    /// until an entry begins to run or the tick ends, so moving timers into the queue counts, too.
    pub slept: Duration,
    /// The events that the selector has reported, in the order in which it reported them.
    pub events: Vec<TracedEvent>,
    /// The timers that have become due: callbacks, with the places that called `call_later` or
    /// `call_at`, and the wake-ups of sleeping tasks.
    pub due: Vec<Ran>,
    /// The entries that have run. Cancelled callbacks aren't included.
    pub ran: Vec<TracedRun>,
    /// The duration of the whole tick, including its sleep.
    pub took: Duration,
}

/// The reason for a tick's timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyTimeout {
    /// An entry is ready to run, or another thread has sent a message, so the tick doesn't sleep.
    Ready,
    /// The loop should stop, so the tick doesn't sleep.
    Stopping,
    /// There's a timer: the tick can sleep until the nearest timer is due.
    Timer,
    /// No entry is ready, and there's no timer: the tick can sleep until an event arrives.
    Nothing,
}

/// A descriptor that was ready.
#[derive(Debug, Clone)]
pub struct TracedEvent {
    /// The owner of the descriptor.
    pub source: EventSource,
    /// The descriptor's number; `None` for the descriptors that only wake the loop.
    pub fd: Option<RawFd>,
    /// The directions that were ready.
    pub ready: Interest,
}

/// The owner of a descriptor.
#[derive(Debug, Clone)]
pub enum EventSource {
    /// The loop itself: another thread has sent a message, or a signal has arrived.
    Wakeup,
    /// Callbacks, with the places that called `add_reader` and `add_writer`.
    Callbacks {
        /// The place that called `add_reader`, if there's a reader.
        reader: Option<CreatedAt>,
        /// The place that called `add_writer`, if there's a writer.
        writer: Option<CreatedAt>,
    },
    /// An [`AsyncFd`](crate::AsyncFd), such as that of a stream or a listener.
    Stream,
}

/// An entry that has run.
#[derive(Debug, Clone)]
pub struct TracedRun {
    /// The callback, step or wake-up.
    pub what: Ran,
    /// The name that the entry gave itself with [`name_in_trace`](crate::EventLoop::name_in_trace).
    pub name: Option<String>,
    /// The cause that put the entry into the queue; `None` if the trace hasn't seen the cause, for
    /// example because the entry was scheduled before the loop ran.
    pub by: Option<QueuedBy>,
    /// The time that the entry has taken.
    pub took: Duration,
}

/// The cause of an entry in the queue, with the cause's index from 0. For a message from another
/// thread, the cause is whatever the loop was doing when the queue took the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuedBy {
    /// One of the tick's own [`events`](TickTrace::events).
    Event(usize),
    /// One of the tick's own [`due`](TickTrace::due) timers.
    Timer(usize),
    /// An entry that [`ran`](TickTrace::ran) in the previous tick.
    Run(usize),
}
