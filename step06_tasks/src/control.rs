//! A task's control, which is the part of its state that doesn't depend on the type of its result.
//! And the current task, whose step is running on this thread.
//!
//! | what is true of a task | where it's noted |
//! | --- | --- |
//! | *queued*: the ready queue holds it, once | `queued` |
//! | *running*: its coroutine is being polled | it's the current task |
//! | *waiting*: for a future, for a task, or for a leaf | `waits_for`; nothing for a leaf |
//! | *ended*: its coroutine is gone | `ended` |
//!
//! | event | before | after |
//! | --- | --- | --- |
//! | `create_task` | – | queued |
//! | its step begins | queued | running; no longer queued, so a wake-up queues it again |
//! | the coroutine returns `Pending` | running | waiting (and queued, if it was woken meanwhile) |
//! | a wake-up | waiting or running | also queued |
//! | the coroutine returns or panics | running | ended |
//! | it's cancelled before its first step | queued | ended at that step, and nothing of it ran |
//! | the queue is cleared | any | ended without a result ("destroyed") |
//!
//! The states of a request to end are in `cancelling.rs`.

use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::any_task::{Cancellable, Step, TaskId, WaitsFor};
use crate::ready_queue::{OwnWaker, Wakes};
use crate::{AnyTask, LocalWaker, ReadyQueue};

/// A task, and its control.
pub(crate) trait Controlled: Step {
    fn control(&self) -> &Control;
}

/// What a task can wait for, and be cancelled in: a future, or another task.
pub(crate) trait Awaited: Cancellable {
    /// Returns true if `cancel` would do something.
    fn can_be_cancelled(&self) -> bool {
        !self.done()
    }
    /// Returns true if it's pending but can't be cancelled, because its end is on the way.
    fn is_about_to_end(&self) -> bool {
        false
    }
    /// Returns a task's control, and `None` for a future that belongs to no task.
    fn as_task(&self) -> Option<&Control> {
        None
    }
}

pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) queue: ReadyQueue,
    /// The task's waker while its step runs. If the coroutine has left a clone of the waker
    /// anywhere, the task keeps it for as long as the task exists.
    waker: RefCell<Option<OwnWaker>>,
    pub(crate) queued: Cell<bool>,
    pub(crate) started: Cell<bool>,
    pub(crate) ended: Cell<bool>,
    /// What the task awaits, if that can be cancelled. (asyncio: `_fut_waiter`)
    pub(crate) waits_for: Cell<Option<Rc<dyn Awaited>>>,
    // The fields below are about a request to end. `cancelling.rs` has a table of its states, which
    // says when each of them changes.
    /// A cancellation is *pending*: the next step delivers it. (asyncio: `_must_cancel`)
    pub(crate) must_cancel: Cell<bool>,
    /// The pending cancellation has ended the wait in a leaf. (In asyncio, each leaf awaits a
    /// future. Cancelling the task cancels that future, which keeps the message, and stays
    /// cancelled whatever `uncancel` says.)
    pub(crate) ended_a_wait: Cell<bool>,
    /// A cancellation is *being delivered* in the step that runs; the first leaf that's polled
    /// consumes it. If no leaf is polled, it stays for the next step.
    pub(crate) delivering: Cell<bool>,
    /// The number of times the task was asked to end; asyncio's `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// A visited mark: the number of the last walk of `cancel` that came through here.
    pub(crate) walk: Cell<u64>,
    /// In a box, because few tasks have a request: inline, each task would take 32 bytes more.
    pub(crate) request: Cell<Option<Box<Request>>>,
}

/// What a task was asked.
#[derive(Default)]
pub(crate) struct Request {
    pub(crate) message: Option<Arc<str>>,
    /// What the request was *passed on* to. It comes back if that ends cancelled.
    pub(crate) passed_to: Option<Rc<dyn Awaited>>,
}

impl Control {
    /// Makes the control of a task that's queued for its first step.
    #[inline]
    pub(crate) fn new(id: TaskId, queue: ReadyQueue) -> Self {
        Control {
            id,
            queue,
            waker: RefCell::default(),
            queued: Cell::new(true),
            started: Cell::default(),
            ended: Cell::default(),
            waits_for: Cell::default(),
            must_cancel: Cell::default(),
            ended_a_wait: Cell::default(),
            delivering: Cell::default(),
            requests: Cell::default(),
            walk: Cell::default(),
            request: Cell::default(),
        }
    }

    /// Calls `poll` with the task's waker. Afterwards the next task's step can have the waker,
    /// unless something else holds it, or this task is queued again: a task that waits only for
    /// futures and timers of the same loop needs no waker while it waits.
    #[inline]
    pub(crate) fn with_waker<R>(&self, poll: impl FnOnce(&Waker) -> R) -> R {
        let spare = &self.queue.shared.spare_waker;
        self.waker.borrow_mut().get_or_insert_with(|| {
            let used = spare.take().inspect(|used| used.assign(self.id));
            used.unwrap_or_else(|| OwnWaker::new(self.id, self.queue.handle()))
        });
        let outcome = poll(&self.waker.borrow().as_ref().expect("it was made above").waker);
        if !self.queued.get()
            && let Some(unshared) = self.waker.borrow_mut().take_if(|own| own.is_unshared())
        {
            spare.set(Some(unshared));
        }
        outcome
    }

    /// Returns true if this is the task's waker.
    #[inline]
    pub(crate) fn is_woken_by(&self, waker: &Waker) -> bool {
        self.waker.borrow().as_ref().is_some_and(|own| own.waker.will_wake(waker))
    }

    /// Notes a wake-up. Returns true if the caller has to queue the task, because it isn't queued
    /// already and hasn't ended.
    #[inline]
    pub(crate) fn note_wake(&self) -> bool {
        !self.ended.get() && !self.queued.replace(true)
    }

    /// Begins a step: from here on the task can be queued again.
    #[inline]
    pub(crate) fn begin_step(&self) {
        self.queued.set(false);
    }

    /// Notes that the coroutine is gone, and lets go of all that it waited for.
    #[inline]
    pub(crate) fn end(&self) {
        self.ended.set(true);
        // Never the last handle: a wait is noted for as long as a handle waits.
        drop(self.waits_for.take());
        self.set_passed_to(None);
    }

    /// Returns what the task waits for.
    pub(crate) fn waits_for(&self) -> Option<Rc<dyn Awaited>> {
        let waits_for = self.waits_for.take();
        self.waits_for.set(waits_for.clone());
        waits_for
    }

    /// Says what the task waits for, for [`AnyTask::waits_for`].
    pub(crate) fn says_what_it_waits_for(&self) -> Option<WaitsFor> {
        if self.queued.get() || self.ended.get() || self.is_current() {
            return None;
        }
        let Some(awaited) = self.waits_for() else { return Some(WaitsFor::Leaf) };
        let task = awaited.as_task().and_then(|inner| {
            let tasks = inner.queue.shared.tasks.borrow();
            tasks.get(inner.id).map(|task| AnyTask::new(Rc::clone(task)))
        });
        Some(task.map_or(WaitsFor::Future, WaitsFor::Task))
    }

    /// Notes that the task has given up waiting for this.
    #[inline]
    pub(crate) fn stop_waiting_for(&self, target: *const ()) {
        if let Some(awaited) = self.waits_for.take()
            && Rc::as_ptr(&awaited).cast::<()>() != target
        {
            self.waits_for.set(Some(awaited));
        }
    }

    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        ask_current(|task| Some(std::ptr::eq(task.control(), self))).unwrap_or(false)
    }
}

thread_local! {
    static CURRENT_TASK: RefCell<Option<Rc<dyn Controlled>>> = const { RefCell::new(None) };
}

/// Returns the task that is running on this thread; asyncio's `current_task`. In a callback there's
/// none.
pub fn current_task() -> Option<AnyTask> {
    ask_current(|task| Some(AnyTask::new(Rc::clone(task) as Rc<dyn Step>)))
}

/// Asks the current task, if there's one. The closure must not run code of the program.
#[inline]
pub(crate) fn ask_current<R>(ask: impl FnOnce(&Rc<dyn Controlled>) -> Option<R>) -> Option<R> {
    CURRENT_TASK.with_borrow(|task| task.as_ref().and_then(ask))
}

/// Calls `resume` while `task` is the current one.
#[inline]
pub(crate) fn with_current<R>(task: Rc<dyn Controlled>, resume: impl FnOnce() -> R) -> R {
    struct Restore {
        before: Option<Rc<dyn Controlled>>,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            drop(CURRENT_TASK.replace(self.before.take()));
        }
    }
    let _restore = Restore { before: CURRENT_TASK.replace(Some(task)) };
    resume()
}

impl LocalWaker {
    /// Returns a waker for what is polled with this context. (A future that polls others, like a
    /// `select`, can hand them another waker, and then this returns that waker.)
    #[inline]
    pub fn of(context: &Context<'_>) -> Self {
        let own = ask_current(|task| {
            let is_its_own = task.control().is_woken_by(context.waker());
            is_its_own.then(|| Rc::downgrade(task))
        });
        let wakes = match own {
            Some(task) => Wakes::Task(task),
            None => Wakes::Other(context.waker().clone()),
        };
        LocalWaker { wakes }
    }

    /// Returns the task that it wakes, if it wakes one of this thread that still exists.
    pub fn task(&self) -> Option<AnyTask> {
        match &self.wakes {
            Wakes::Task(task) => task.upgrade().map(AnyTask::new),
            Wakes::Other(_) => None,
        }
    }

    /// Returns true if it's known to wake nothing, because its task has ended.
    pub fn wakes_nothing(&self) -> bool {
        match &self.wakes {
            Wakes::Task(task) => task.upgrade().is_none_or(|task| task.done()),
            Wakes::Other(_) => false,
        }
    }

    /// Returns what tells it from the wakers that wake something else, as long as it exists.
    pub fn id(&self) -> impl Eq + Hash + use<> {
        match &self.wakes {
            Wakes::Task(task) => (task.as_ptr().cast::<()>(), None),
            Wakes::Other(waker) => (waker.data(), Some(ptr::from_ref(waker.vtable()))),
        }
    }
}
