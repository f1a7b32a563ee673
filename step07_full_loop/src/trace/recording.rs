//! What is known of one tick, and how it's recorded. All times are of the loop's own clock, so on a
//! virtual one they're the same in every run. Without a trace, each function of the recording is one
//! comparison.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::time::Duration;

use step03_selector::{Interest, ReadyEvent};
use step04_timers::Time;
use step06_tasks::{Handle, Ran};

use crate::LoopResult;
use crate::event_loop::Source;
use crate::event_loop::{Core, EventLoop};
use crate::sleep::Timer;

type Place = &'static Location<'static>;

/// A tick that is over.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TickTrace {
    /// Counts the traced ticks of the loop, from 1.
    pub number: u64,
    /// When it began.
    pub began: Time,
    /// How long it could sleep; `None` means forever. It's what
    /// [`select_timeout`](crate::EventLoop::select_timeout) has returned at its beginning.
    pub timeout: Option<Duration>,
    /// The reason for this timeout.
    pub why: WhyTimeout,
    /// How long it has slept: from its beginning until its first event. If there was none, until
    /// something has run, or until its end; so moving its timers into the queue counts too.
    pub slept: Duration,
    /// What the selector has found, in its order.
    pub events: Vec<TracedEvent>,
    /// The timers that have become due.
    pub due: Vec<DueTimer>,
    /// What has run. Cancelled callbacks don't.
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
        reader: Option<Place>,
        /// The writer's place.
        writer: Option<Place>,
    },
    /// A stream or a listener.
    Stream,
}

/// A timer that has become due.
#[derive(Debug, Clone)]
pub enum DueTimer {
    /// A callback, and where `call_later` or `call_at` was called.
    Callback(Place),
    /// A task's sleep.
    Sleep,
}

/// Something that has run.
#[derive(Debug, Clone)]
pub struct TracedRun {
    /// What it was.
    pub what: Ran,
    /// How long it has taken.
    pub took: Duration,
}

/// The trace of a loop: what it's handed to, and the tick that's being recorded.
#[derive(Default)]
pub(crate) struct Trace {
    is_on: Cell<bool>,
    ticks: Cell<u64>,
    /// Out of its cell while it runs.
    tracer: RefCell<Option<Tracer>>,
    current: RefCell<Option<TickTrace>>,
    /// Nothing has happened yet in the tick that's being recorded.
    is_asleep: Cell<bool>,
}

type Tracer = Box<dyn FnMut(&TickTrace)>;

impl EventLoop {
    /// Calls a function at the end of each tick, from the next one on, with the trace of the tick. It
    /// replaces the previous trace, if there's one. The function can use the loop.
    ///
    /// ```
    /// use std::time::Duration;
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// event_loop.set_trace(|tick| println!("tick {} slept {:?}", tick.number, tick.slept));
    /// event_loop.run_until_complete(step07_full_loop::sleep(Duration::from_millis(1)))?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn set_trace(&self, tracer: impl FnMut(&TickTrace) + 'static) {
        self.core.clear_trace();
        self.core.trace.tracer.replace(Some(Box::new(tracer)));
        self.core.trace.is_on.set(true);
        self.update_observer();
    }

    /// Ends the trace: from here on, ticks aren't measured.
    pub fn clear_trace(&self) {
        self.core.clear_trace();
        self.update_observer();
    }

    /// Runs one tick, and traces it.
    #[cold]
    pub(crate) fn traced_tick(&self) -> LoopResult<()> {
        self.begin_trace();
        let outcome = self.run_once();
        self.end_trace();
        outcome
    }

    fn begin_trace(&self) {
        let trace = &self.core.trace;
        trace.ticks.set(trace.ticks.get() + 1);
        let timeout = self.select_timeout();
        let tick = TickTrace {
            number: trace.ticks.get(),
            began: self.time(),
            timeout,
            why: self.why_timeout(timeout),
            slept: Duration::ZERO,
            events: Vec::new(),
            due: Vec::new(),
            ran: Vec::new(),
            took: Duration::ZERO,
        };
        trace.is_asleep.set(true);
        trace.current.replace(Some(tick));
    }

    fn why_timeout(&self, timeout: Option<Duration>) -> WhyTimeout {
        if !self.core.queue.is_empty() {
            WhyTimeout::Ready
        } else if self.core.stopping.get() {
            WhyTimeout::Stopping
        } else if timeout.is_some() {
            WhyTimeout::Timer
        } else {
            WhyTimeout::Nothing
        }
    }

    fn end_trace(&self) {
        self.trace_awake();
        let now = self.time();
        let Some(mut tick) = self.core.trace.current.take() else { return };
        tick.took = now - tick.began;
        let tracer = self.core.trace.tracer.take();
        let Some(mut tracer) = tracer else { return };
        tracer(&tick);
        // Unless it has ended the trace, or has begun another one.
        let is_current = self.core.trace.is_on.get() && self.core.trace.tracer.borrow().is_none();
        if is_current {
            self.core.trace.tracer.replace(Some(tracer));
        }
    }

    /// Notes that the tick sleeps no longer.
    pub(crate) fn trace_awake(&self) {
        if self.core.trace.is_asleep.take() {
            let now = self.time();
            self.core.trace.record(|tick| tick.slept = now - tick.began);
        }
    }

    /// Notes an event.
    #[inline]
    pub(crate) fn trace_event(&self, event: &ReadyEvent<Source>) {
        if self.core.trace.is_on.get() {
            self.trace_awake();
            let (source, ready) = (EventSource::of(&event.data), event.interest);
            self.core.trace.record(|tick| tick.events.push(TracedEvent { source, ready }));
        }
    }

    /// Notes a timer that's due.
    #[inline]
    pub(crate) fn trace_timer(&self, timer: &Timer) {
        if self.core.trace.is_on.get() {
            let due = match timer {
                Timer::Callback(handle) => DueTimer::Callback(handle.created_at()),
                Timer::Wake(_) => DueTimer::Sleep,
            };
            self.core.trace.record(|tick| tick.due.push(due));
        }
    }
}

impl Trace {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// Notes something that has run.
    pub(crate) fn ran(&self, ran: &Ran, took: Duration) {
        self.record(|tick| tick.ran.push(TracedRun { what: ran.clone(), took }));
    }

    /// Changes the record of the tick, if one is being recorded.
    fn record(&self, change: impl FnOnce(&mut TickTrace)) {
        if let Some(tick) = &mut *self.current.borrow_mut() {
            change(tick);
        }
    }
}

impl Core {
    /// Ends the trace.
    pub(crate) fn clear_trace(&self) {
        self.trace.is_on.set(false);
        // Each in a statement of its own: they're dropped when nothing is borrowed.
        let tracer = self.trace.tracer.take();
        self.queue.discard(tracer);
        let current = self.trace.current.take();
        self.queue.discard(current);
    }
}

impl EventSource {
    fn of(source: &Source) -> Self {
        match source {
            Source::Wakeup | Source::Counter => EventSource::Wakeup,
            Source::Callbacks(callbacks) => EventSource::Callbacks {
                reader: callbacks.reader.as_ref().map(Handle::created_at),
                writer: callbacks.writer.as_ref().map(Handle::created_at),
            },
            Source::Fd(_) => EventSource::Stream,
        }
    }
}
