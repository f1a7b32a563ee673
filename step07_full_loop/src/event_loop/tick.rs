//! One tick: CPython's `_run_once`, in the same order. Only the last part of a tick runs the ready
//! queue's entries; the parts before it wait and fill the queue.
//!
//! The loop's selector is in a [`Poller`], which decides whether a tick asks the kernel at all.

use std::cell::RefMut;
use std::io;
use std::os::fd::{AsFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector, SelectorKey};
use step04_timers::Time;
use step05_selfpipe::signal_is_pending;
use step06_tasks::{Drain, Handle, ReadyQueue, Runnable};

use super::EventLoop;
use super::async_fd::Readiness;
use super::readers::FdCallbacks;
use crate::LoopResult;

// ANCHOR: longest_sleep
/// The longest sleep of a loop that has a timer, however far away the nearest timer is; asyncio's
/// `MAXIMUM_SELECT_TIMEOUT`.
pub(super) const LONGEST_SLEEP: Duration = Duration::from_hours(24);
// ANCHOR_END: longest_sleep

impl EventLoop {
    // ANCHOR: run_once
    /// Runs one tick. Fails with the error of the wait, or with that of an event.
    ///
    /// - Everything that the loop finds in this tick runs in this tick, in the order of asyncio's
    ///   tick and behind the entries that were already ready. Entries that a callback schedules
    ///   wait for the next tick (`one_tick_after_another`).
    /// - A tick that fails runs no entry. But the kernel reports an edge only once, so even if one
    ///   event fails, the entries of the other events are queued (`how_a_tick_waits`).
    /// - An event can hold a callback, so no event outlives its tick in the loop's list
    ///   (`one_tick_after_another`, `how_a_tick_waits`).
    /// - The tick can sleep until the nearest timer is due, but for a day at most; without a timer,
    ///   it can sleep forever. It doesn't sleep if an entry is ready, another thread has sent a
    ///   message or the loop should stop. In every tick the clock is told this limit, even if it's
    ///   zero, and decides how long the selector sleeps: a virtual clock moves itself forward
    ///   instead (`how_long_it_can_sleep`, `how_a_tick_waits`). `sleep_for` asks the clock and
    ///   notes the limit for a trace, too (`a_trace_of_every_tick`).
    /// - The clock can use the loop, even when it's only asked for the time (`how_a_tick_waits`).
    ///
    /// Not checked: a second event that fails in the same tick, since only the event of the
    /// queue's own descriptor can fail.
    ///
    /// Free: whether a tick reuses the list in `core.events`, and whether the list is borrowed
    /// while the events are processed, since no other code uses it.
    ///
    /// Free: whether a tick sleeps before it runs an entry that the clock has scheduled when the
    /// tick asked for the time.
    pub(crate) fn run_once(&self) -> LoopResult<()> {
        let could_sleep = if !self.core.queue.is_empty() || self.core.stopping.get() {
            Some(Duration::ZERO)
        } else {
            let now = self.time();
            let until_nearest = self.core.timers.borrow_mut().next_timeout(now);
            until_nearest.map(|until| until.min(LONGEST_SLEEP))
        };
        let timeout = self.sleep_for(could_sleep);
        let mut events = self.core.events.take();
        self.poller().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        self.queue_due_timers();
        // This is the only place where callbacks and coroutines run; everything above only adds
        // them to the queue. It runs all entries that are scheduled now, but none that these
        // schedule in turn.
        self.core.queue.run_ready();
        Ok(())
    }
    // ANCHOR_END: run_once

    /// Returns the current time on the loop's clock; asyncio's `loop.time()`.
    pub fn time(&self) -> Time {
        self.core.clock.now()
    }

    // ANCHOR: due_timers
    /// Asks the clock how long the selector should sleep in a tick that could sleep for
    /// `could_sleep`. The clock can run any code.
    fn sleep_for(&self, could_sleep: Option<Duration>) -> Option<Duration> {
        if self.core.trace.is_on.get() {
            self.core.trace.could_sleep(could_sleep);
        }
        self.core.clock.sleep_for(could_sleep)
    }

    /// Moves every timer that is due into the ready queue. Reads the clock once: a timer that
    /// becomes due meanwhile waits for the next tick.
    fn queue_due_timers(&self) {
        if self.core.timers.borrow().scheduled() == 0 {
            return;
        }
        // Before the heap is borrowed, since the clock can run any code.
        let now = self.time();
        let mut timers = self.core.timers.borrow_mut();
        while let Some(timer) = timers.pop_due(now) {
            if self.core.trace.is_on.get() {
                self.trace_timer(&timer);
            }
            self.core.queue.push(timer);
        }
        // The heap also sweeps when a tick asks how long it can sleep, but a loop that's always
        // busy never asks, and timers that have fired leave empty slots.
        timers.sweep();
        self.core.timers_queued_until.set(now);
    }
    // ANCHOR_END: due_timers

    /// Queues the callbacks or the steps that an event calls for, a reader's callback before the
    /// writer's, as asyncio's `_process_events` does. A trace sees the entries that the event puts
    /// into the queue.
    fn process_event(&self, event: ReadyEvent<Source>) -> io::Result<()> {
        if self.core.trace.is_on.get() {
            self.trace_event(&event);
        }
        let mut processed = Ok(());
        match event.data {
            Source::Wakeup => processed = self.handle_wakeup(),
            Source::Counter => processed = self.core.queue.take_remote(Drain::Nothing),
            // The tasks that wait are queued at once, so they run in this tick. In asyncio the
            // event queues a callback, and the task that the callback wakes runs a tick later.
            Source::Fd(readiness, _) => {
                if event.interest.contains(Interest::READABLE) {
                    readiness.read.becomes_ready(event.read_closed, &self.core.queue);
                }
                if event.interest.contains(Interest::WRITABLE) {
                    readiness.write.becomes_ready(event.write_closed, &self.core.queue);
                }
            }
            Source::Callbacks(callbacks, _) => {
                let (reader, writer) = (callbacks.reader.iter(), callbacks.writer.iter());
                let reader = reader.filter(|_| event.interest.contains(Interest::READABLE));
                let writer = writer.filter(|_| event.interest.contains(Interest::WRITABLE));
                for handle in reader.chain(writer) {
                    self.core.queue.push(handle.clone());
                }
            }
        }
        if self.core.trace.is_on.get() {
            self.trace_queued();
        }
        processed
    }

    /// Drains the queue's pipe, usually in a callback: under `run`, the loop handles SIGINT, and a
    /// signal may have put the byte into the pipe. So the callback also looks for signals, whose
    /// handlers run a tick later. A loop that handles no signals drains the pipe at once. In both
    /// cases, unless messages flood the loop, this tick runs the entries of the other threads'
    /// messages. asyncio's `_read_from_self` always runs as a callback.
    fn handle_wakeup(&self) -> io::Result<()> {
        if self.core.signal_handlers.borrow().signals.is_none() {
            return self.core.queue.take_remote(Drain::Pipe);
        }
        let event_loop = self.clone();
        // The messages don't wait for this callback: before `push` queues the callback, it takes
        // as many of them as the batch has room for.
        let drain = Handle::once(move || event_loop.drain_and_queue_signals());
        self.core.queue.push(Runnable::Callback(drain));
        Ok(())
    }
}

/// The data of a registration, which says what an event on the descriptor means.
///
/// The descriptor's number is for a trace; next to the variant's tag, it takes no extra room. The
/// loop stores a `Source` for each descriptor and each event, so larger data is behind an `Rc`.
#[derive(Clone)]
pub(crate) enum Source {
    /// The ready queue: another thread has sent a message, or a signal has woken the loop.
    Wakeup,
    /// The ready queue's eventfd: another thread has sent a message.
    Counter,
    /// The callbacks of `add_reader` and `add_writer`.
    Callbacks(Rc<FdCallbacks>, RawFd),
    /// An `AsyncFd`, which is edge-triggered and remembers its readiness.
    Fd(Rc<Readiness>, RawFd),
}

/// The capacity that the list of events keeps once it has grown that far.
const KEPT_EVENTS: usize = 128;

/// The loop's selector, which asks the kernel only if the kernel may have an event to report.
///
/// Even a wait that doesn't sleep takes a system call, which is a large part of the cost of a short
/// tick. While callbacks or tasks are ready and only the queue's own descriptors are registered,
/// the kernel can report nothing that isn't already in memory: messages from other threads are in
/// the queue's inbox, and signals are flags. So the poller can skip the kernel, which changes only
/// the program's speed.
///
/// Once other descriptors are registered, the loop asks the kernel in each tick, as asyncio does.
/// After a call to [`EventLoop::poll_every`], the loop asks less often, as tokio does.
pub(crate) struct Poller {
    /// Registrations and unregistrations go through the methods below, which count them.
    pub(super) selector: EpollSelector<Source>,
    queue: ReadyQueue,
    /// The number of registered descriptors, apart from the queue's own (its pipe and its eventfd).
    pub(crate) registered: usize,
    /// The poller asks the kernel once in this many busy ticks.
    every: u32,
    /// The number of busy ticks since the kernel was last asked.
    skipped: u32,
}

impl Poller {
    /// Makes a poller in which the queue is registered.
    pub(crate) fn new(queue: &ReadyQueue) -> io::Result<Self> {
        let mut selector = EpollSelector::new()?;
        selector.register(queue, Interest::READABLE, Source::Wakeup)?;
        if let Some(counter) = queue.counter() {
            selector.register_edge(counter, Interest::READABLE, Source::Counter)?;
        }
        Ok(Poller { selector, queue: queue.clone(), registered: 0, every: 1, skipped: 0 })
    }

    /// Waits as the selector does, or reports no events without asking the kernel. An interrupted
    /// run has no use for events: the next run finds them.
    pub(crate) fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<Source>>,
    ) -> io::Result<()> {
        if timeout == Some(Duration::ZERO) && (self.queue.is_interrupted() || self.can_skip()) {
            ready.clear();
            return Ok(());
        }
        self.skipped = 0;
        self.selector.select(timeout, ready)?;
        // After a high load, the list releases the memory for descriptors that are gone.
        if ready.capacity() > KEPT_EVENTS + 4 * self.registered {
            ready.shrink_to(KEPT_EVENTS);
        }
        Ok(())
    }

    /// Returns true if a tick that doesn't sleep can do without the kernel.
    fn can_skip(&mut self) -> bool {
        if self.queue.has_been_woken() || signal_is_pending() {
            return false;
        }
        self.skipped = self.skipped.saturating_add(1);
        self.registered == 0 || self.skipped < self.every
    }

    /// Registers `fd`, level-triggered; see [`Selector::register`].
    pub(super) fn register(
        &mut self,
        fd: impl AsFd,
        interest: Interest,
        source: Source,
    ) -> io::Result<()> {
        self.selector.register(fd, interest, source)?;
        self.registered += 1;
        Ok(())
    }

    /// Registers `fd`, edge-triggered; see [`EpollSelector::register_edge`].
    pub(super) fn register_edge(
        &mut self,
        fd: impl AsFd,
        interest: Interest,
        source: Source,
    ) -> io::Result<()> {
        self.selector.register_edge(fd, interest, source)?;
        self.registered += 1;
        Ok(())
    }

    /// Unregisters `fd`; see [`Selector::unregister`].
    pub(super) fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<Source>> {
        let key = self.selector.unregister(fd)?;
        self.registered -= 1;
        Ok(key)
    }
}

impl EventLoop {
    /// Borrows the poller of an open loop. No user code may run while it's borrowed.
    pub(crate) fn poller(&self) -> RefMut<'_, Poller> {
        RefMut::map(self.core.poller.borrow_mut(), |poller| {
            poller.as_mut().expect("an open loop has a poller")
        })
    }

    /// Makes the loop ask the kernel for events only in every `ticks`-th of the ticks that don't
    /// sleep, for example because callbacks or tasks are ready. The default is 1, as in asyncio;
    /// tokio's `event_interval` is 61 by default.
    ///
    /// A program whose tasks yield often saves a system call in each of the other ticks. But a
    /// descriptor that becomes ready waits for up to this many ticks, even if each of them is a run
    /// after [`stop`](EventLoop::stop). A tick that sleeps isn't affected, and the loop still sees
    /// messages from other threads and signals in the next tick.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    pub fn poll_every(&self, ticks: u32) {
        self.assert_open_to("poll_every");
        self.poller().every = ticks;
    }
}
