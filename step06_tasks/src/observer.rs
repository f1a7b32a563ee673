//! An observer is notified of each entry that the queue runs, so that a loop can time the entry.
//!
//! The queue has no clock, so it only reports that an entry begins or has ended. A queue without an
//! observer pays one comparison for each entry.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::panic::Location;
use std::rc::{Rc, Weak};

use crate::ready_queue::QueueBody;
use crate::{AnyTask, ReadyQueue};

/// An object that a queue notifies of each entry that the queue runs.
pub trait Observer {
    /// Is called when an entry begins to run.
    fn begins(&self, ran: &Ran);
    /// Is called when the entry has ended, perhaps with a panic.
    fn has_run(&self, ran: &Ran);
}

/// An entry that the queue runs, has run or will run, as observers and reports see it.
///
/// Prints `<Handle created at src/main.rs:12>` for a callback and the task for a step, much as
/// asyncio does in debug mode.
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

/// From now on, gives each new queue of this thread the observer that `observer_of` returns, in
/// addition to any observer that the program sets. This function is for a tool that watches a
/// program from outside and so doesn't make the program's queues itself.
///
/// ```
/// use std::rc::{Rc, Weak};
/// use step06_tasks::{Observer, Ran, ReadyQueue, observe_new_queues};
///
/// struct Prints;
/// impl Observer for Prints {
///     fn begins(&self, ran: &Ran) {
///         println!("{ran} begins");
///     }
///     fn has_run(&self, _ran: &Ran) {}
/// }
/// observe_new_queues(|_queue| Rc::new(Prints));
/// let queue = ReadyQueue::new()?;
/// queue.call_soon(|| println!("hello"));
/// queue.run_ready();
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn observe_new_queues(observer_of: impl Fn(&ReadyQueue) -> Rc<dyn Observer> + 'static) {
    let before = OF_NEW_QUEUES.replace(Some(Rc::new(observer_of)));
    // When nothing is borrowed any more: the old observer's destructor can run any code.
    drop(before);
}

type ObserverOf = Rc<dyn Fn(&ReadyQueue) -> Rc<dyn Observer>>;

thread_local! {
    static OF_NEW_QUEUES: RefCell<Option<ObserverOf>> = const { RefCell::new(None) };
}

/// The observers of a queue.
#[derive(Default)]
pub(crate) struct Observation {
    /// True if the next entry goes through `run_observed`, either because there's an observer and
    /// no observed entry is running or because the round is interrupted.
    pub(crate) is_wanted: Cell<bool>,
    /// True if the rest of the round is put aside; see [`ReadyQueue::interrupt`].
    pub(crate) is_interrupted: Cell<bool>,
    observer: RefCell<Option<Rc<dyn Observer>>>,
    /// The observer that `observe_new_queues` has given the queue, if any.
    first: OnceCell<Rc<dyn Observer>>,
}

impl Observation {
    pub(crate) fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        let before = self.observer.replace(observer);
        self.update();
        // When nothing is borrowed any more: the old observer's destructor can run any code.
        drop(before);
    }

    /// Gives a new queue its observer, if `observe_new_queues` was called on this thread.
    pub(crate) fn begin_if_asked(queue: &ReadyQueue) {
        // A destructor might make a queue while the thread is ending, when this variable has
        // already been destroyed.
        let asked = OF_NEW_QUEUES.try_with(|observer_of| observer_of.borrow().clone());
        if let Ok(Some(observer_of)) = asked {
            let observation = &queue.shared.observation;
            observation.first.get_or_init(|| observer_of(queue));
            observation.is_wanted.set(true);
        }
    }

    /// Notes whether the next entry has to go through `run_observed`.
    pub(crate) fn update(&self) {
        self.is_wanted.set(self.is_interrupted.get() || self.is_observed());
    }

    fn is_observed(&self) -> bool {
        self.first.get().is_some() || self.observer.borrow().is_some()
    }

    /// Notifies the observers that an entry begins to run. Dropping the returned guard notifies
    /// them of the entry's end.
    pub(crate) fn begin(queue: &ReadyQueue, ran: Ran) -> Observed<'_> {
        let observation = &queue.shared.observation;
        observation.is_wanted.set(false);
        let observers = [observation.first.get().cloned(), observation.observer.borrow().clone()];
        let observed = Observed { queue, observers, ran };
        observed.tell(|observer| observer.begins(&observed.ran));
        observed
    }
}

/// A handle that doesn't keep the queue alive. An observer that refers to its queue needs such a
/// handle: the queue holds the observer, so a full handle would make a reference cycle.
#[derive(Clone)]
pub struct WeakQueue {
    shared: Weak<QueueBody>,
}

impl ReadyQueue {
    /// Returns a handle that doesn't keep the queue alive.
    pub fn downgrade(&self) -> WeakQueue {
        WeakQueue { shared: Rc::downgrade(&self.shared) }
    }
}

impl WeakQueue {
    /// Returns the queue, if another handle to it still exists.
    pub fn upgrade(&self) -> Option<ReadyQueue> {
        self.shared.upgrade().map(|shared| ReadyQueue { shared })
    }
}

impl fmt::Debug for WeakQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakQueue").field(&self.upgrade()).finish()
    }
}

/// The message that reports an observer's panic. The panic ends neither the loop nor the observed
/// entry.
const IN_AN_OBSERVER: &str = "Exception in an observer";

/// A guard for an entry that's running. Dropping the guard reports the entry's end.
pub(crate) struct Observed<'a> {
    queue: &'a ReadyQueue,
    observers: [Option<Rc<dyn Observer>>; 2],
    ran: Ran,
}

impl Observed<'_> {
    fn tell(&self, what: impl Fn(&Rc<dyn Observer>)) {
        for observer in self.observers.iter().flatten() {
            self.queue.run_reporting(IN_AN_OBSERVER, || what(observer));
        }
    }
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        self.queue.shared.observation.update();
        self.tell(|observer| observer.has_run(&self.ran));
    }
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
