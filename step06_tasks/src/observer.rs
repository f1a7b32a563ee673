//! An observer: is told what the queue runs, so that a loop can measure how long it takes.
//!
//! The queue knows no clock, so it only says when something begins and when it's over. Without an
//! observer, that costs one comparison for each callback and each step.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::ready_queue::Runnable;
use crate::{AnyTask, ReadyQueue};

/// Is told what a queue runs.
pub trait Observer {
    /// Something begins to run.
    fn begins(&self);
    /// It's over, by a panic too.
    fn has_run(&self, ran: &Ran);
}

/// Something that the queue has run.
///
/// Its text is asyncio's: `<Handle created at src/main.rs:12>`, or a task's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ran {
    /// A callback, and the place in the program that has scheduled it.
    Callback(&'static Location<'static>),
    /// A step of a task.
    Step(AnyTask),
    /// A timer's wake-up of a task.
    Wake,
}

/// The observer of a queue.
#[derive(Default)]
pub(crate) struct Observation {
    /// There's an observer, and nothing is being observed: callbacks don't nest.
    is_wanted: Cell<bool>,
    observer: RefCell<Option<Rc<dyn Observer>>>,
}

impl ReadyQueue {
    /// Replaces the observer. Without one, the queue measures nothing.
    pub fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        let observation = &self.shared.observation;
        observation.is_wanted.set(observer.is_some());
        let before = observation.observer.replace(observer);
        // When nothing is borrowed any more: it can own anything.
        drop(before);
    }

    /// Runs it, and tells the observer. A cancelled callback doesn't run, so it isn't told of that.
    #[cold]
    pub(crate) fn run_observed(&self, ready: Runnable) {
        let ran = match &ready {
            Runnable::Callback(handle) if handle.cancelled() => return,
            Runnable::Callback(handle) => Ran::Callback(handle.created_at()),
            Runnable::Step(task) => Ran::Step(AnyTask::new(Rc::clone(task))),
            Runnable::Wake(_) => Ran::Wake,
        };
        self.shared.observation.is_wanted.set(false);
        let observer = self.shared.observation.observer.borrow().clone();
        let _observed = observer.map(|observer| Observed::begin(self, observer, ran));
        self.run(ready);
    }
}

impl Observation {
    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.get()
    }
}

/// Something that's running. Its end is reported when this is dropped.
struct Observed<'a> {
    queue: &'a ReadyQueue,
    observer: Rc<dyn Observer>,
    ran: Ran,
}

impl<'a> Observed<'a> {
    fn begin(queue: &'a ReadyQueue, observer: Rc<dyn Observer>, ran: Ran) -> Self {
        CREATED_AT.set(None);
        observer.begins();
        Observed { queue, observer, ran }
    }
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        let observation = &self.queue.shared.observation;
        observation.is_wanted.set(observation.observer.borrow().is_some());
        if let (Ran::Callback(place), Some(noted)) = (&mut self.ran, CREATED_AT.take()) {
            *place = noted;
        }
        self.observer.has_run(&self.ran);
    }
}

thread_local! {
    static CREATED_AT: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Notes where the callback that runs was handed over, if that wasn't where its handle was made: the
/// handle of a callback from another thread is made by the queue.
pub(crate) fn note_created_at(place: &'static Location<'static>) {
    CREATED_AT.set(Some(place));
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ran::Callback(place) => {
                write!(f, "<Handle created at {}:{}>", place.file(), place.line())
            }
            Ran::Step(task) => task.fmt(f),
            Ran::Wake => f.write_str("<Handle of a timer that wakes a task>"),
        }
    }
}
