//! The trace of a loop and the recording of a tick. Without a trace, a tick only checks `is_on`
//! and, unless debug mode is on, calls no function in this file.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use step03_selector::ReadyEvent;
use step06_tasks::{Handle, Ran, ReadyQueue, Runnable};

use super::{EventSource, QueuedBy, TickTrace, TracedEvent, TracedRun, WhyTimeout};
use crate::LoopResult;
use crate::event_loop::{Core, EventLoop, Source};

/// The trace of a loop: the function that gets each tick, and the tick that's being recorded.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) is_on: Cell<bool>,
    ticks: Cell<u64>,
    /// The function that gets each tick. It's taken out of its cell while it runs.
    tracer: RefCell<Option<Tracer>>,
    current: RefCell<Option<TickTrace>>,
    causes: RefCell<Causes>,
    /// True until the tick that's being recorded has an event, runs an entry or ends.
    is_asleep: Cell<bool>,
    /// The name that the running entry has given itself.
    name: Cell<Option<String>>,
}

type Tracer = Box<dyn FnMut(&TickTrace)>;

impl Trace {
    /// Notes that an entry begins to run.
    pub(crate) fn begins(&self, ran: &Ran, queue: &ReadyQueue) {
        if self.is_on.get() {
            let taken = self.causes.borrow_mut().begins(ran, queue);
            queue.discard(taken);
        }
    }

    /// Notes an entry that has run.
    pub(crate) fn ran(&self, ran: &Ran, took: Duration, queue: &ReadyQueue) {
        let name = self.name.take();
        self.record(|tick| {
            let by = self.causes.borrow_mut().has_run(tick.ran.len(), queue);
            tick.ran.push(TracedRun { what: ran.clone(), name, by, took });
        });
    }

    /// Notes the time that the tick could sleep, as the tick itself has computed it.
    #[cold]
    pub(crate) fn could_sleep(&self, timeout: Option<Duration>) {
        self.record(|tick| tick.timeout = timeout);
    }

    /// Changes the record of the tick, if the tick is being recorded.
    fn record(&self, change: impl FnOnce(&mut TickTrace)) {
        if let Some(tick) = &mut *self.current.borrow_mut() {
            change(tick);
        }
    }
}

/// Calls a function with each loop that this thread makes from now on, before any code runs on the
/// loop. Replaces the previous function, if any. `on_new_loop` is meant for a tool that watches a
/// program from outside and doesn't make the loops. The loop's [`id`](EventLoop::id) lets the tool
/// find the loop later and doesn't keep the loop alive.
///
/// ```
/// step07_full_loop::on_new_loop(|event_loop| {
///     event_loop.set_trace(|tick| println!("tick {} took {:?}", tick.number, tick.took));
/// });
/// step07_full_loop::run(async { Ok(()) })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub fn on_new_loop(begin: impl Fn(&EventLoop) + 'static) {
    let before = ON_NEW_LOOP.replace(Some(Rc::new(begin)));
    // When nothing is borrowed any more: the old function's destructor can run any code.
    drop(before);
}

type OnNewLoop = Rc<dyn Fn(&EventLoop)>;

thread_local! {
    static ON_NEW_LOOP: RefCell<Option<OnNewLoop>> = const { RefCell::new(None) };
}

impl EventLoop {
    /// Passes a new loop to the function that this thread has set with `on_new_loop`, if any.
    pub(crate) fn tell_if_asked(&self) {
        // A destructor might make a loop while the thread is ending and this variable is gone.
        let asked = ON_NEW_LOOP.try_with(|begin| begin.borrow().clone());
        if let Ok(Some(begin)) = asked {
            begin(self);
        }
    }

    /// Calls a function with the trace of each tick when the tick ends, from the next tick on.
    /// Replaces the previous trace, if any. The function can use the loop.
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

    /// Ends the trace. The tick that's in progress is no longer reported.
    pub fn clear_trace(&self) {
        self.core.clear_trace();
        self.update_observer();
    }

    /// Names the running callback or step in the trace. A host that runs another language's
    /// functions schedules all of them at one place, so `created_at` doesn't tell them apart.
    /// Without a trace, `name` isn't called.
    ///
    /// ```
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// event_loop.set_trace(|tick| println!("{:?}", tick.ran[0].name)); // Some("on_click")
    /// let inner = event_loop.clone();
    /// event_loop.call_soon(move || inner.name_in_trace(|| "on_click".to_owned()));
    /// event_loop.stop();
    /// event_loop.run_forever()?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn name_in_trace(&self, name: impl FnOnce() -> String) {
        if self.core.trace.is_on.get() {
            self.core.trace.name.set(Some(name()));
        }
    }

    /// Runs one tick and traces it.
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
        let tick = TickTrace {
            number: trace.ticks.get(),
            began: self.time(),
            timeout: None,
            why: self.why_timeout(),
            slept: Duration::ZERO,
            events: Vec::new(),
            due: Vec::new(),
            ran: Vec::new(),
            took: Duration::ZERO,
        };
        trace.is_asleep.set(true);
        trace.name.take();
        let left = trace.causes.borrow_mut().tick_begins(&self.core.queue);
        self.core.queue.discard(left);
        trace.current.replace(Some(tick));
    }

    fn why_timeout(&self) -> WhyTimeout {
        if !self.core.queue.is_empty() {
            WhyTimeout::Ready
        } else if self.core.stopping.get() {
            WhyTimeout::Stopping
        } else if self.select_timeout().is_some() {
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
        self.core.queue.run_reporting("Exception in a trace", || tracer(&tick));
        // Puts the tracer back, unless it has ended the trace or begun another.
        let is_current = self.core.trace.is_on.get() && self.core.trace.tracer.borrow().is_none();
        if is_current {
            self.core.trace.tracer.replace(Some(tracer));
        }
    }

    /// Notes that the tick is no longer asleep.
    pub(crate) fn trace_awake(&self) {
        if self.core.trace.is_asleep.take() {
            let now = self.time();
            self.core.trace.record(|tick| tick.slept = now - tick.began);
        }
    }

    /// Notes an event.
    #[cold]
    pub(crate) fn trace_event(&self, event: &ReadyEvent<Source>) {
        self.trace_awake();
        let (source, ready) = (EventSource::of(&event.data), event.interest);
        let fd = match &event.data {
            Source::Wakeup | Source::Counter => None,
            Source::Callbacks(_, number) | Source::Fd(_, number) => Some(*number),
        };
        self.core.trace.record(|tick| tick.events.push(TracedEvent { source, fd, ready }));
    }

    /// Notes the entries that a processed event has queued.
    pub(crate) fn trace_queued(&self) {
        let trace = &self.core.trace;
        trace.record(|tick| {
            let by = tick.events.len().checked_sub(1).map(QueuedBy::Event);
            trace.causes.borrow_mut().came(by, &self.core.queue);
        });
    }

    /// Notes a timer that's due.
    #[cold]
    pub(crate) fn trace_timer(&self, timer: &Runnable) {
        let trace = &self.core.trace;
        trace.record(|tick| {
            let by = QueuedBy::Timer(tick.due.len());
            trace.causes.borrow_mut().timer_comes(timer.describe(), by);
            tick.due.push(timer.describe());
        });
    }
}

impl Core {
    /// Ends the trace.
    pub(crate) fn clear_trace(&self) {
        self.trace.is_on.set(false);
        // Each value is taken in a separate statement and dropped when nothing is borrowed.
        let tracer = self.trace.tracer.take();
        self.queue.discard(tracer);
        let current = self.trace.current.take();
        self.queue.discard(current);
        // The causes hold tasks, too.
        let causes = self.trace.causes.take();
        self.queue.discard(causes);
    }
}

impl EventSource {
    fn of(source: &Source) -> Self {
        match source {
            Source::Wakeup | Source::Counter => EventSource::Wakeup,
            Source::Callbacks(callbacks, _) => EventSource::Callbacks {
                reader: callbacks.reader.as_ref().map(Handle::created_at),
                writer: callbacks.writer.as_ref().map(Handle::created_at),
            },
            Source::Fd(..) => EventSource::Stream,
        }
    }
}

/// An entry of the queue with its cause, if the cause is known.
type Queued = (Ran, Option<QueuedBy>);

/// The entries of the queue whose arrival the trace has seen, each with its cause, if it's known:
/// an event, a timer, or an entry of the last tick.
///
/// The queue doesn't note the cause, and a loop that isn't traced has no use for it. So a trace
/// watches the queue grow: if an entry joins the queue while an event is processed, that event has
/// put the entry there. When the queue runs an entry, the trace looks the entry up by its content,
/// because the trace doesn't notice when a cancelled callback leaves the queue.
#[derive(Default)]
struct Causes {
    /// The entries that this tick runs, in their order.
    queued: VecDeque<Queued>,
    /// The entries that this tick's callbacks and steps have queued for the next tick.
    next: Vec<Queued>,
    /// The number of the queue's entries that the trace has seen.
    known: usize,
    /// The cause of the entry that's running.
    current: Option<QueuedBy>,
}

impl Causes {
    /// Takes over the entries that the last tick queued. Any further entries arrived between the
    /// ticks. Returns the entries that never ran; the caller drops them once no borrow is held.
    fn tick_begins(&mut self, queue: &ReadyQueue) -> VecDeque<Queued> {
        let next = std::mem::take(&mut self.next).into();
        let left = std::mem::replace(&mut self.queued, next);
        self.known = self.queued.len();
        self.came(None, queue);
        left
    }

    /// Notes the cause of the new entries.
    fn came(&mut self, by: Option<QueuedBy>, queue: &ReadyQueue) {
        let new = queue.ready_behind(self.known);
        self.known += new.len();
        self.queued.extend(new.into_iter().map(|what| (what, by)));
    }

    /// Notes a timer that's about to be queued.
    fn timer_comes(&mut self, what: Ran, by: QueuedBy) {
        self.known += 1;
        self.queued.push_back((what, Some(by)));
    }

    /// Notes that an entry has left the queue and is running. Returns that entry and the skipped
    /// entries; the caller drops them once no borrow is held.
    fn begins(&mut self, ran: &Ran, queue: &ReadyQueue) -> Vec<Queued> {
        let place = self.queued.iter().position(|(what, _)| is_same(what, ran));
        let taken: Vec<Queued> = self.queued.drain(..place.map_or(0, |place| place + 1)).collect();
        self.current = taken.last().and_then(|(_, by)| *by);
        self.known = queue.ready_count();
        taken
    }

    /// Notes the entries that an entry has just queued and returns that entry's cause. `number` is
    /// the entry's index among the tick's runs.
    fn has_run(&mut self, number: usize, queue: &ReadyQueue) -> Option<QueuedBy> {
        let new = queue.ready_behind(self.known);
        self.next.extend(new.into_iter().map(|what| (what, Some(QueuedBy::Run(number)))));
        self.current.take()
    }
}

/// Returns true if the trace can't tell the two entries apart: two callbacks from the same place,
/// two steps of the same task, or two wakes. Of several such entries, the trace takes the first.
fn is_same(queued: &Ran, ran: &Ran) -> bool {
    match (queued, ran) {
        (Ran::Callback(one), Ran::Callback(other)) => one == other,
        (Ran::Step(one), Ran::Step(other)) => one == other,
        (Ran::Wake, Ran::Wake) => true,
        _ => false,
    }
}
