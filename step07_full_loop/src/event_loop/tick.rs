//! One tick: CPython's `_run_once`, in the same order.
//!
//! 1. Work out how long the loop can sleep.
//! 2. Sleep in the selector for that long, or until something happens.
//! 3. Queue the callbacks and tasks of the descriptors that are ready.
//! 4. Queue the timers that are due.
//! 5. Run what is in the queue now; what that schedules waits for the next tick.
//!
//! So descriptors come before timers, and both come behind what `call_soon` had queued before. What
//! other threads send belongs to 3, since the loop finds it by a descriptor: the queue's own.

use std::io;
use std::time::Duration;

use step03_selector::{Interest, ReadyEvent, Selector};

use crate::LoopResult;
use crate::event_loop::EventLoop;
use crate::event_loop::poller::Source;
use crate::event_loop::timers::Timer;

/// The longest sleep until a timer, however far away that is; asyncio's `MAXIMUM_SELECT_TIMEOUT`.
const LONGEST_SLEEP: Duration = Duration::from_hours(24);

impl EventLoop {
    // ANCHOR: run_once
    /// Runs one tick: its five steps, once each. Fails with the error of the step that fails.
    ///
    /// Callbacks can do anything with the loop, and so can the wakers that an event wakes.
    ///
    /// - The clock decides how long the selector sleeps, given how long it can: a virtual clock moves
    ///   itself forward instead, and the selector doesn't sleep (`how_a_tick_waits`).
    /// - The timers that are due come in every tick, behind all events, however many events there are
    ///   (`one_tick_after_another`, `how_a_tick_waits`).
    /// - An event can hold a callback, so none is left in the list, even if the tick fails
    ///   (`one_tick_after_another`, `how_a_tick_waits`).
    ///
    /// (Not checked: that a tick reuses the list in `core.events`, which spares an allocation; that it
    /// processes the other events if one fails, although the kernel reports an edge only once; and that
    /// it leaves out the later steps then.)
    pub(crate) fn run_once(&self) -> LoopResult<()> {
        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = self.core.events.take();
        self.poller().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        self.queue_due_timers();
        // This is the only place where callbacks and coroutines run; everything above only adds them
        // to the queue. It runs all that are scheduled now, but none that those schedule in turn.
        self.core.queue.run_ready();
        Ok(())
    }
    // ANCHOR_END: run_once

    // ANCHOR: select_timeout
    /// Returns how long the selector can sleep: not at all if there's work or if the loop should
    /// stop, otherwise until the nearest timer is due, but for a day at most. `None` means forever:
    /// there's no timer.
    pub fn select_timeout(&self) -> Option<Duration> {
        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        Some(until_nearest.min(LONGEST_SLEEP))
    }
    // ANCHOR_END: select_timeout

    /// Queues the callbacks that an event concerns, the reader's before the writer's, like
    /// asyncio's `_process_events`.
    fn process_event(&self, event: ReadyEvent<Source>) -> io::Result<()> {
        self.trace_event(&event);
        match event.data {
            Source::Wakeup => self.handle_wakeup()?,
            Source::Counter => self.core.queue.take_woken(),
            Source::Fd(ref readiness) => readiness.update(&event, &self.core.queue),
            Source::Callbacks(callbacks) => {
                let reader =
                    callbacks.reader.filter(|_| event.interest.contains(Interest::READABLE));
                let writer =
                    callbacks.writer.filter(|_| event.interest.contains(Interest::WRITABLE));
                for handle in reader.into_iter().chain(writer) {
                    self.core.queue.push(handle);
                }
            }
        }
        Ok(())
    }

    /// Takes what was sent, which runs in this tick, and drains the queue's pipe. But the byte can also
    /// be a signal's, which comes through the same pipe. So if the loop handles signals, only a callback
    /// drains it, and the signals' handlers run a tick later. What was sent doesn't wait for that:
    /// `call_soon` takes it before it queues this callback, as before any other. (asyncio:
    /// `_read_from_self`, which is always a callback)
    fn handle_wakeup(&self) -> io::Result<()> {
        if !self.handles_signals() {
            return self.core.queue.take_remote();
        }
        let event_loop = self.clone();
        self.core.queue.call_soon(move || event_loop.drain_and_queue_signals());
        Ok(())
    }

    // ANCHOR: queue_due_timers
    /// Moves every timer that is due into the ready queue. The clock is read once: a timer that
    /// becomes due meanwhile waits for the next tick.
    fn queue_due_timers(&self) {
        let mut timers = self.core.timers.borrow_mut();
        if timers.is_empty() {
            return;
        }
        let now = self.time();
        while let Some(timer) = timers.pop_due(now) {
            self.queue_timer(timer);
        }
        self.core.timers_queued_until.set(now);
    }
    // ANCHOR_END: queue_due_timers

    fn queue_timer(&self, timer: Timer) {
        self.trace_timer(&timer);
        match timer {
            Timer::Callback(handle) => self.core.queue.push(handle),
            // It takes its turn like a callback, and the task's step comes a tick later. (A descriptor's
            // event queues the step itself: see `Readiness::update`.)
            Timer::Wake(waker) => self.core.queue.push_wake(waker),
        }
    }
}
