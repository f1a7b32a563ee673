//! An observer hears what the queue runs, so that a loop can measure how long it takes.
//!
//! The queue knows no clock, so it only says when something begins and when it's over. Without an
//! observer, that costs one comparison for each callback and each step.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::{AnyTask, ReadyQueue, moments};

/// Hears what a queue runs.
pub trait Observer {
    /// Something begins to run.
    fn begins(&self);
    /// It's over. (A panic ends it, too.)
    fn has_run(&self, ran: &Ran);
}

/// Something that the queue has run.
///
/// Its text is asyncio's: `<Handle created at src/main.rs:12>`, or a task's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ran {
    /// A callback, with the place in the program that scheduled it.
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
    pub(crate) is_wanted: Cell<bool>,
    observer: RefCell<Option<Rc<dyn Observer>>>,
}

impl Observation {
    pub(crate) fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        let before = self.observer.replace(observer);
        self.is_wanted.set(self.is_observed());
        // When nothing is borrowed any more: it can own anything.
        drop(before);
    }

    /// Returns true if there's an observer, or a recording.
    fn is_observed(&self) -> bool {
        self.observer.borrow().is_some() || scene::moments::are_noted()
    }

    /// Tells the observer that this begins to run. It's over when the guard that this returns is dropped.
    pub(crate) fn begin(queue: &ReadyQueue, ran: Ran) -> Observed<'_> {
        let observation = &queue.shared.observation;
        observation.is_wanted.set(false);
        let observer = observation.observer.borrow().clone();
        CREATED_AT.set(None);
        if let Some(observer) = &observer {
            queue.run_reporting(IN_AN_OBSERVER, || observer.begins());
        }
        moments::begins(&ran);
        Observed { queue, observer, ran }
    }
}

/// An observer can be anybody's code. Its panic ends neither the loop nor what's observed.
const IN_AN_OBSERVER: &str = "Exception in an observer";

/// Something that's running. Its end is reported when this is dropped.
pub(crate) struct Observed<'a> {
    queue: &'a ReadyQueue,
    observer: Option<Rc<dyn Observer>>,
    ran: Ran,
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        let observation = &self.queue.shared.observation;
        observation.is_wanted.set(observation.is_observed());
        if let (Ran::Callback(place), Some(noted)) = (&mut self.ran, CREATED_AT.take()) {
            *place = noted;
        }
        if let Some(observer) = &self.observer {
            self.queue.run_reporting(IN_AN_OBSERVER, || observer.has_run(&self.ran));
        }
        moments::has_run(&self.ran);
    }
}

thread_local! {
    static CREATED_AT: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Notes where the callback that's running was handed over. For a callback from another thread that
/// isn't where its handle was made, because the queue makes the handle.
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
