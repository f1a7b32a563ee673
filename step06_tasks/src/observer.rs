//! An observer: is told what the queue runs, so that a loop can measure how long it takes.
//!
//! The queue knows no clock, so it only says when something begins and when it's over. Without an
//! observer, that costs one comparison for each callback and each step.

use std::cell::Cell;
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

impl ReadyQueue {
    /// Replaces the observer. Without one, the queue measures nothing.
    pub fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        let before = self.shared.observer.replace(observer);
        // When nothing is borrowed any more: it can own anything.
        drop(before);
    }

    /// Tells the observer, if there's one, that this begins. A cancelled callback doesn't.
    #[inline]
    pub(crate) fn observe(&self, ready: &Runnable) -> Option<Observed> {
        let observer = Rc::clone(self.shared.observer.borrow().as_ref()?);
        Observed::begin(observer, ready)
    }
}

/// Something that's running. Its end is reported when this is dropped.
pub(crate) struct Observed {
    observer: Rc<dyn Observer>,
    ran: Ran,
}

impl Observed {
    #[cold]
    fn begin(observer: Rc<dyn Observer>, ready: &Runnable) -> Option<Self> {
        let ran = match ready {
            Runnable::Callback(handle) if handle.cancelled() => return None,
            Runnable::Callback(handle) => Ran::Callback(handle.created_at()),
            Runnable::Step(task) => Ran::Step(AnyTask::new(Rc::clone(task))),
            Runnable::Wake(_) => Ran::Wake,
        };
        CREATED_AT.set(None);
        observer.begins();
        Some(Observed { observer, ran })
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
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
/// handle of a callback from another thread is made by the queue, and so is that of a future's.
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
