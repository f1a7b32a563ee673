//! What a loop reports: errors that can't be returned to any caller, in debug mode what has kept it
//! busy for too long, and, when it's asked, what it holds.
//!
//! A callback that panics, a task's error that no code retrieves, a connection that can't be
//! accepted: they go to the exception handler, and the loop carries on.
//!
//! A callback that takes half a second is half a second in which nothing else runs. You see that
//! everything is slow but not why. So in debug mode a stopwatch measures each callback and each
//! step by the loop's own clock.

use std::cell::Cell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::{ExceptionContext, Observer, Ran, Runnable};

use super::tick::LONGEST_SLEEP;
use super::{Core, EventLoop};

/// What a loop has to know for its debug mode.
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
    /// Turns debug mode on or off; asyncio's `set_debug`. It's off at first and then costs
    /// nothing.
    ///
    /// In debug mode, a callback or a step of a task that takes as long as
    /// [`slow_callback_duration`](EventLoop::slow_callback_duration) is reported to the exception
    /// handler, in asyncio's words (asyncio logs it):
    ///
    /// ```text
    /// Executing <Task pending name='Task-2' created at src/main.rs:7> took 0.213 seconds
    /// ```
    ///
    /// asyncio also notes in debug mode where callbacks and tasks are created. Here that's always
    /// known. It also refuses calls from the wrong thread, which don't compile here: see
    /// [`EventLoop`].
    pub fn set_debug(&self, is_on: bool) {
        self.core.debug.is_on.set(is_on);
        self.update_observer();
    }

    /// Returns true in debug mode.
    pub fn get_debug(&self) -> bool {
        self.core.debug.is_on.get()
    }

    /// Sets what counts as slow.
    pub fn set_slow_callback_duration(&self, duration: Duration) {
        self.core.debug.slow.set(duration);
    }

    /// Returns what counts as slow: 0.1 s, if nothing else was set.
    pub fn slow_callback_duration(&self) -> Duration {
        self.core.debug.slow.get()
    }

    /// Reports what has run, if it was slow and the loop is in debug mode.
    fn report_if_slow(&self, ran: &Ran, took: Duration) {
        if self.get_debug() && took >= self.slow_callback_duration() {
            let seconds = took.as_secs_f64();
            self.core.queue.report(&format!("Executing {ran} took {seconds:.3} seconds"));
        }
    }
}

struct Stopwatch {
    /// Weak, because the loop's queue holds this.
    core: Weak<Core>,
    began: Cell<Time>,
}

impl EventLoop {
    /// Lets the queue tell the loop what it runs, if debug mode or a trace wants to know.
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
    /// Replaces the exception handler; asyncio's `set_exception_handler`. It can do anything with
    /// the loop. If it panics, the default handler is told.
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

    /// Goes back to the default handler. (asyncio: `set_exception_handler(None)`)
    pub fn clear_exception_handler(&self) {
        self.core.queue.clear_exception_handler();
    }

    /// Prints the message and the exception on standard error. A handler can call it for what it
    /// doesn't handle itself; asyncio's `default_exception_handler`.
    pub fn default_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.default_exception_handler(context);
    }

    /// Calls the exception handler, for errors of your own that have no caller; asyncio's
    /// `call_exception_handler`.
    pub fn call_exception_handler(&self, context: &ExceptionContext) {
        self.core.queue.call_exception_handler(context);
    }
}

/// What a loop has in its queue, its heap and its selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holdings {
    /// The tasks that haven't ended; asyncio's `len(all_tasks())`.
    pub tasks: usize,
    /// The timers in the heap; asyncio's `len(loop._scheduled)`.
    pub timers: usize,
    /// The descriptors in the selector, apart from those with which it's woken.
    pub descriptors: usize,
}

/// What waits in a loop's queue and in its heap.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Waiting {
    /// What's ready to run, next first.
    pub ready: Vec<Ran>,
    /// What the nearest timers will run, and when: a callback, or a step of a task that sleeps.
    pub timers: Vec<(Time, Ran)>,
}

impl EventLoop {
    /// Returns what waits in the queue and up to that many of the nearest timers, for a report. It
    /// looks at every timer.
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

    /// Returns, for a report, how long a tick that began now could sleep if nothing else happened.
    /// `None` means forever.
    pub fn select_timeout(&self) -> Option<Duration> {
        let is_idle = self.core.queue.is_empty() && !self.core.stopping.get();
        let now = if is_idle { self.time() } else { return Some(Duration::ZERO) };
        Some(self.core.timers.borrow_mut().next_timeout(now)?.min(LONGEST_SLEEP))
    }

    /// Counts what the loop holds, for a trace or a report. A closed loop holds nothing.
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
