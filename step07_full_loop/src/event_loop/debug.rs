//! A loop's reports: errors that can't be returned to any caller, slow callbacks in debug mode,
//! and, on request, the waiting entries and the numbers of tasks, timers and descriptors.
//!
//! The exception handler gets a report, for example, when a callback panics, when a task's error is
//! never retrieved or when a connection can't be accepted. The loop carries on in each case.
//!
//! A callback that takes half a second stops everything else for half a second. You see that
//! everything is slow but not why. So in debug mode a stopwatch measures each callback and each
//! step by the loop's own clock.

use std::cell::Cell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::{ExceptionContext, Observer, Ran, Runnable};

use super::tick::LONGEST_SLEEP;
use super::{Core, EventLoop};

/// The settings of a loop's debug mode.
pub(crate) struct DebugMode {
    is_on: Cell<bool>,
    slow: Cell<Duration>,
}

impl Default for DebugMode {
    fn default() -> Self {
        DebugMode { is_on: Cell::new(false), slow: Cell::new(Duration::from_millis(100)) }
    }
}

impl EventLoop {
    /// Turns debug mode on or off; asyncio's `set_debug`. By default, debug mode is off and costs
    /// only a comparison per callback or step.
    ///
    /// In debug mode, the exception handler gets a report of each callback or step that takes at
    /// least [`slow_callback_duration`](EventLoop::slow_callback_duration), in a form like
    /// asyncio's log message:
    ///
    /// ```text
    /// Executing <Task pending name='Task-2' created at src/main.rs:7> took 0.213 seconds
    /// ```
    ///
    /// In debug mode, asyncio also notes where callbacks and tasks are created. This loop always
    /// notes both. asyncio also refuses calls from the wrong thread, which don't compile here: see
    /// [`EventLoop`].
    pub fn set_debug(&self, is_on: bool) {
        self.core.debug.is_on.set(is_on);
        self.update_observer();
    }

    /// Returns true if debug mode is on.
    pub fn get_debug(&self) -> bool {
        self.core.debug.is_on.get()
    }

    /// Sets the shortest duration that counts as slow for a callback or step.
    pub fn set_slow_callback_duration(&self, duration: Duration) {
        self.core.debug.slow.set(duration);
    }

    /// Returns the shortest duration that counts as slow: 0.1 s by default.
    pub fn slow_callback_duration(&self) -> Duration {
        self.core.debug.slow.get()
    }

    /// Reports a callback or step that has run, if it was slow and the loop is in debug mode.
    fn report_if_slow(&self, ran: &Ran, took: Duration) {
        if self.get_debug() && took >= self.slow_callback_duration() {
            let seconds = took.as_secs_f64();
            self.core.queue.report(&format!("Executing {ran} took {seconds:.3} seconds"));
        }
    }
}

struct Stopwatch {
    /// Weak, because the loop's queue holds this stopwatch.
    core: Weak<Core>,
    began: Cell<Time>,
}

impl EventLoop {
    /// Sets the queue's observer if debug mode or a trace is on; otherwise removes it.
    pub(crate) fn update_observer(&self) {
        let stopwatch = || -> Rc<dyn Observer> {
            let core = Rc::downgrade(&self.core);
            Rc::new(Stopwatch { core, began: Cell::new(self.time()) })
        };
        let is_needed = self.get_debug() || self.core.trace.is_on.get();
        self.core.queue.set_observer(is_needed.then(stopwatch));
    }
}

impl Stopwatch {
    fn event_loop(&self) -> Option<EventLoop> {
        self.core.upgrade().map(|core| EventLoop { core })
    }
}

impl Observer for Stopwatch {
    fn begins(&self, ran: &Ran) {
        if let Some(event_loop) = self.event_loop() {
            event_loop.trace_awake();
            event_loop.core.trace.begins(ran, &event_loop.core.queue);
            self.began.set(event_loop.time());
        }
    }

    fn has_run(&self, ran: &Ran) {
        if let Some(event_loop) = self.event_loop() {
            let took = event_loop.time() - self.began.get();
            event_loop.core.trace.ran(ran, took, &event_loop.core.queue);
            event_loop.report_if_slow(ran, took);
        }
    }
}

impl EventLoop {
    /// Replaces the exception handler; asyncio's `set_exception_handler`. The handler can do
    /// anything with the loop. If the handler panics, the default handler gets both errors.
    ///
    /// ```
    /// use step07_full_loop::{EventLoop, LoopError};
    /// let event_loop = EventLoop::new()?;
    /// let stopper = event_loop.clone();
    /// event_loop.set_exception_handler(move |context| {
    ///     println!("{}, so that's the end", context.message);
    ///     stopper.stop();
    /// });
    /// event_loop.call_soon(|| std::panic::resume_unwind(Box::new("oh no")));
    /// event_loop.run_forever()?;
    /// event_loop.close()?;
    /// # Ok::<(), LoopError>(())
    /// ```
    pub fn set_exception_handler(&self, handler: impl Fn(&ExceptionContext) + 'static) {
        self.core.queue.set_exception_handler(handler);
    }

    /// Restores the default handler; asyncio's `set_exception_handler(None)`.
    pub fn clear_exception_handler(&self) {
        self.core.queue.clear_exception_handler();
    }

    /// Prints the message to standard error, followed by the exception, the task and the context,
    /// if any. A handler can call this method for errors that it doesn't handle itself; asyncio's
    /// `default_exception_handler`.
    pub fn default_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.default_exception_handler(context);
    }

    /// Calls the exception handler, for your program's errors that can't be returned to any caller;
    /// asyncio's `call_exception_handler`.
    pub fn call_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.call_exception_handler(context);
    }
}

/// The numbers of tasks, timers and descriptors that a loop holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holdings {
    /// The tasks that haven't ended; asyncio's `len(all_tasks())`.
    pub tasks: usize,
    /// The timers that have neither fired nor been cancelled; asyncio's `len(loop._scheduled)`,
    /// which can also count cancelled timers.
    pub timers: usize,
    /// The descriptors in the selector, apart from those that only wake the loop.
    pub descriptors: usize,
}

/// The entries that wait in a loop's queue and in its heap of timers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Waiting {
    /// The entries that are ready to run, in their order.
    pub ready: Vec<Ran>,
    /// The nearest timers, each with its time and its entry: a callback, the step of a task that
    /// sleeps, or a wake-up whose task isn't known.
    pub timers: Vec<(Time, Ran)>,
}

impl EventLoop {
    /// Returns the entries in the queue and the nearest timers, `most_timers` at most, for a
    /// report. Looks at every timer.
    ///
    /// ```
    /// use std::time::Duration;
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// let later = event_loop.call_later(Duration::from_secs(60), || {});
    /// let sooner = event_loop.call_later(Duration::from_secs(6), || {});
    /// let waiting = event_loop.waiting(1);
    /// assert_eq!(waiting.timers.len(), 1);
    /// assert_eq!(waiting.timers[0].0, sooner.when());
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn waiting(&self, most_timers: usize) -> Waiting {
        let heap = self.core.timers.borrow();
        let mut timers: Vec<(Time, &Runnable)> = heap.timers().collect();
        timers.sort_by_key(|(when, _)| *when);
        let described = timers.into_iter().take(most_timers).map(|(when, timer)| {
            let task = match timer {
                Runnable::Wake(waker) => waker.task(),
                _ => None,
            };
            (when, task.map_or_else(|| timer.describe(), Ran::Step))
        });
        Waiting { ready: self.core.queue.ready(), timers: described.collect() }
    }

    /// Returns the time that a tick could sleep if it began now and nothing else happened, for a
    /// report or for another loop that waits for this loop. `None` means forever.
    pub fn select_timeout(&self) -> Option<Duration> {
        let is_idle = self.core.queue.is_empty() && !self.core.stopping.get();
        let now = if is_idle { self.time() } else { return Some(Duration::ZERO) };
        Some(self.core.timers.borrow_mut().next_timeout(now)?.min(LONGEST_SLEEP))
    }

    /// Counts the loop's tasks, timers and descriptors, for a trace or a report. A closed loop
    /// holds nothing.
    ///
    /// ```
    /// use std::time::Duration;
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// let timer = event_loop.call_later(Duration::from_secs(60), || {});
    /// assert_eq!(event_loop.held().timers, 1);
    /// timer.cancel();
    /// assert_eq!(event_loop.held().timers, 0);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn held(&self) -> Holdings {
        let timers = self.core.timers.borrow().len();
        let descriptors = self.core.poller.borrow().as_ref().map_or(0, |poller| poller.registered);
        Holdings { tasks: self.core.queue.task_count(), timers, descriptors }
    }
}
