//! A task's control, which is the part of its state that doesn't depend on the type of its result;
//! and the current task, whose step is running on this thread.
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
use std::fmt;
use std::hash::Hash;
use std::panic::Location;
use std::ptr;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::any_task::{AnyTaskBody, Awaited, TaskId, WaitsFor};
use crate::ready_queue::TaskWaker;
use crate::{AnyTask, ReadyQueue, Runnable};

pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) queue: ReadyQueue,
    /// Counts the tasks of the queue, for the default name.
    number: u32,
    /// The place of the call of `create_task`.
    pub(crate) created_at: &'static Location<'static>,
    /// The name that was set. It's behind a thin pointer, because few tasks have one.
    pub(crate) name: Cell<Option<Rc<String>>>,
    /// The program knows that the task might not end, so it isn't reported if it's destroyed.
    pub(crate) is_known_to_be_pending: Cell<bool>,
    /// The state of the task's waker while its step runs. If the coroutine has left a clone of the
    /// waker anywhere, the task keeps this for as long as the task exists.
    waker: RefCell<Option<Arc<TaskWaker>>>,
    pub(crate) queued: Cell<bool>,
    pub(crate) started: Cell<bool>,
    pub(crate) ended: Cell<bool>,
    /// What the task awaits, if that can be cancelled. (asyncio: `_fut_waiter`)
    pub(crate) waits_for: Cell<Option<Rc<dyn Awaited>>>,
    // The fields below are about a request to end. `cancelling.rs` has a table of its states, which
    // says when each of them changes.
    /// A cancellation is *pending*: the next step delivers it. (asyncio: `_must_cancel`)
    pub(crate) must_cancel: Cell<bool>,
    /// The pending cancellation has ended the wait in a leaf. In asyncio, each leaf awaits a
    /// future. Cancelling the task cancels that future, which keeps the message and stays
    /// cancelled whatever `uncancel` says.
    pub(crate) ended_a_wait: Cell<bool>,
    /// A cancellation is *being delivered* in the step that runs; the first leaf that's polled
    /// consumes it. If no leaf is polled, it stays for the next step.
    pub(crate) delivering: Cell<bool>,
    /// The number of times the task was asked to end; asyncio's `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// A visited mark: the number of the last walk of `cancel` that came through here.
    pub(crate) walk: Cell<u64>,
    /// The message of the request. It's behind a thin pointer, because few requests have one.
    pub(crate) message: Cell<Option<Box<Arc<str>>>>,
    /// What the request was *passed on* to. It comes back if that ends cancelled.
    pub(crate) passed_to: Cell<Option<Rc<dyn Awaited>>>,
}

impl Control {
    /// Makes the control of a task that isn't queued yet.
    #[inline]
    pub(crate) fn new(
        (id, number): (TaskId, u32),
        queue: ReadyQueue,
        created_at: &'static Location<'static>,
    ) -> Self {
        Control {
            id,
            queue,
            number,
            created_at,
            name: Cell::default(),
            is_known_to_be_pending: Cell::default(),
            waker: RefCell::default(),
            queued: Cell::default(),
            started: Cell::default(),
            ended: Cell::default(),
            waits_for: Cell::default(),
            must_cancel: Cell::default(),
            ended_a_wait: Cell::default(),
            delivering: Cell::default(),
            requests: Cell::default(),
            walk: Cell::default(),
            message: Cell::default(),
            passed_to: Cell::default(),
        }
    }

    /// Returns the name that was set, or "Task-" and its number.
    pub(crate) fn name(&self) -> String {
        let name = self.name.take();
        self.name.set(name.clone());
        name.map_or_else(|| format!("Task-{}", self.number), |name| name.to_string())
    }

    // ANCHOR: waker_state
    /// Returns the state of the task's waker: its own, or else the spare one, or else a new one.
    #[inline]
    pub(crate) fn waker_state(&self) -> Arc<TaskWaker> {
        let mut own = self.waker.borrow_mut();
        let own = own.get_or_insert_with(|| {
            let spare = self.queue.shared.spare_waker.take();
            let spare = spare.inspect(|spare| spare.assign(self.id));
            spare.unwrap_or_else(|| TaskWaker::new(self.id, self.queue.handle()))
        });
        Arc::clone(own)
    }
    // ANCHOR_END: waker_state

    /// Lets the next task's step have the waker's state, unless something holds the waker, or this
    /// task is queued again: a task that waits only for futures and timers of the same loop needs
    /// no waker while it waits.
    #[inline]
    fn give_up_waker(&self) {
        if !self.queued.get()
            && let Some(unshared) = self.waker.borrow_mut().take_if(|own| own.is_unshared())
        {
            self.queue.shared.spare_waker.set(Some(unshared));
        }
    }

    /// Returns true if this is the task's waker.
    #[inline]
    pub(crate) fn is_woken_by(&self, waker: &Waker) -> bool {
        self.waker.borrow().as_ref().is_some_and(|own| own.is_state_of(waker))
    }

    /// Notes a wake-up. Returns true if the caller has to queue the task, because it isn't queued
    /// already and hasn't ended.
    #[inline]
    pub(crate) fn note_wake(&self) -> bool {
        !self.ended.get() && !self.queued.replace(true)
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
            tasks.get(inner.id).cloned()
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
        ask_current(|task| Some(std::ptr::eq(task.body.control(), self))).unwrap_or(false)
    }
}

thread_local! {
    static CURRENT_TASK: RefCell<Option<AnyTask>> = const { RefCell::new(None) };
}

/// Returns the task that is running on this thread; asyncio's `current_task`. In a callback there's
/// none.
pub fn current_task() -> Option<AnyTask> {
    ask_current(|task| Some(task.clone()))
}

/// Asks the current task, if there's one. The closure must not run code of the program.
#[inline]
pub(crate) fn ask_current<R>(ask: impl FnOnce(&AnyTask) -> Option<R>) -> Option<R> {
    CURRENT_TASK.with_borrow(|task| task.as_ref().and_then(ask))
}

// ANCHOR: take_step
/// Takes a step when the queue asks for one, and deals with a request to end before it and after
/// it: a request can come before the first step, or while the coroutine runs.
#[inline]
pub(crate) fn take_step(task: AnyTask) {
    let control = task.body.control();
    if control.started.get() || !control.must_cancel.get() {
        control.begin_step();
        with_current(task.clone(), || Rc::clone(&task.body).step());
        control.give_up_waker();
    }
    if control.must_cancel.get() && !control.ended.get() {
        task.body.deliver();
    }
}
// ANCHOR_END: take_step

/// Calls `step` while `task` is the current one, and its queue can't be entered.
#[inline]
pub(crate) fn with_current<R>(task: AnyTask, step: impl FnOnce() -> R) -> R {
    struct Restore {
        before: Option<AnyTask>,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            let task = CURRENT_TASK.replace(self.before.take());
            if let Some(task) = task {
                task.body.control().queue.shared.is_in_a_step.set(false);
            }
        }
    }
    task.body.control().queue.shared.is_in_a_step.set(true);
    let _restore = Restore { before: CURRENT_TASK.replace(Some(task)) };
    step()
}

/// Wakes what was polled with a context, on the same thread. Rust's std also has such a type,
/// `std::task::LocalWaker`, which isn't stable yet.
#[derive(Clone)]
pub struct LocalWaker {
    wakes: Wakes,
}

#[derive(Clone)]
enum Wakes {
    /// Weak, because the task can own what keeps this, as it owns the timer of its sleep.
    Task(Weak<dyn AnyTaskBody>),
    /// The waker of something that the current task doesn't poll itself. A `select`, for example,
    /// can hand a waker of its own to the futures that it polls.
    Other(Waker),
}

impl LocalWaker {
    /// Returns a waker for what is polled with this context. A future that polls others, like a
    /// `select`, can hand them another waker, and then `of` returns that one.
    #[inline]
    pub fn of(context: &Context<'_>) -> Self {
        let own = ask_current(|task| {
            let is_its_own = task.body.control().is_woken_by(context.waker());
            is_its_own.then(|| Rc::downgrade(&task.body))
        });
        let wakes = match own {
            Some(task) => Wakes::Task(task),
            None => Wakes::Other(context.waker().clone()),
        };
        LocalWaker { wakes }
    }

    /// Queues a step of the task, unless it's queued already or has ended.
    #[inline]
    pub fn wake(self) {
        match self.wakes {
            Wakes::Task(task) => {
                if let Some(body) = task.upgrade() {
                    let task = AnyTask { body };
                    task.body.control().queue.push(Runnable::Step(task.clone()));
                }
            }
            Wakes::Other(waker) => waker.wake(),
        }
    }

    /// Returns true if both wake the same task. If they wake something other than a task, the
    /// answer can be false although they wake the same; see [`Waker::will_wake`].
    pub fn will_wake(&self, other: &LocalWaker) -> bool {
        match (&self.wakes, &other.wakes) {
            (Wakes::Task(task), Wakes::Task(other)) => task.ptr_eq(other),
            (Wakes::Other(waker), Wakes::Other(other)) => waker.will_wake(other),
            _ => false,
        }
    }

    /// Returns the task that it wakes, if it wakes one of this thread that still exists.
    pub fn task(&self) -> Option<AnyTask> {
        match &self.wakes {
            Wakes::Task(task) => task.upgrade().map(|body| AnyTask { body }),
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

impl fmt::Debug for LocalWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalWaker").finish_non_exhaustive()
    }
}
