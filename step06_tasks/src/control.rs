//! A task's control: the part of its state that doesn't depend on the type of its result.
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
//! A request to end goes through states of its own; they're in `cancelling.rs`.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use crate::cancelling::Awaited;
use crate::task_waker::OwnWaker;
use crate::tasks::TaskId;
use crate::{ReadyQueue, current_task};

pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) queue: ReadyQueue,
    /// The queue lends one for each step. If the coroutine has left a clone of it anywhere, the task
    /// keeps it until it's dropped.
    waker: RefCell<Option<OwnWaker>>,
    /// Counts the tasks of the queue, for the default name.
    pub(crate) number: u32,
    /// The place of the call of `create_task`.
    pub(crate) created_at: &'static Location<'static>,
    queued: Cell<bool>,
    pub(crate) started: Cell<bool>,
    pub(crate) ended: Cell<bool>,
    /// The program knows that the task might not end, so it isn't reported if it's destroyed.
    is_known_to_be_pending: Cell<bool>,
    /// A cancellation is pending: the next step delivers it. (asyncio: `_must_cancel`)
    pub(crate) must_cancel: Cell<bool>,
    /// The pending cancellation has ended the wait in a leaf. (In asyncio, each leaf awaits a future,
    /// which is cancelled then: it keeps its message, and is cancelled whatever `uncancel` says.)
    pub(crate) ended_a_wait: Cell<bool>,
    /// The step that runs has a cancellation to deliver; the first leaf that is polled consumes it.
    /// If none is, it stays for the next step.
    pub(crate) delivering: Cell<bool>,
    /// The number of times the task was asked to end; asyncio's `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// The last walk of `cancel` that came through here.
    pub(crate) walk: Cell<u32>,
    /// What the task awaits, if that can be cancelled. (asyncio: `_fut_waiter`)
    pub(crate) waits_for: Cell<Option<Rc<dyn Awaited>>>,
    extras: Cell<Option<Box<Extras>>>,
}

/// What few tasks have. In a box, so that the others don't pay for it.
#[derive(Default)]
struct Extras {
    name: Option<Rc<str>>,
    cancel_message: Option<Arc<str>>,
    /// What a request was passed on to. It comes back if that ends cancelled.
    passed_to: Option<Rc<dyn Awaited>>,
}

impl Control {
    /// Makes the control of a task that's queued for its first step.
    #[inline]
    pub(crate) fn new(
        id: TaskId,
        queue: ReadyQueue,
        number: u32,
        created_at: &'static Location<'static>,
    ) -> Self {
        Control {
            id,
            queue,
            waker: RefCell::default(),
            number,
            created_at,
            queued: Cell::new(true),
            started: Cell::default(),
            ended: Cell::default(),
            is_known_to_be_pending: Cell::default(),
            must_cancel: Cell::default(),
            ended_a_wait: Cell::default(),
            delivering: Cell::default(),
            requests: Cell::default(),
            walk: Cell::default(),
            waits_for: Cell::default(),
            extras: Cell::default(),
        }
    }

    /// Calls `step` with the task's waker. Afterwards the queue gets it back, unless something else
    /// holds it or the next step needs it soon: a task that waits for futures and timers of its own
    /// loop needs none meanwhile.
    #[inline]
    pub(crate) fn with_waker<R>(&self, step: impl FnOnce(&Waker) -> R) -> R {
        self.waker.borrow_mut().get_or_insert_with(|| self.queue.lend_waker(self.id));
        let outcome = match &*self.waker.borrow() {
            Some(own) => step(&own.waker),
            None => step(Waker::noop()),
        };
        if !self.queued.get() {
            self.give_back_waker();
        }
        outcome
    }

    #[inline]
    fn give_back_waker(&self) {
        let unshared = self.waker.borrow_mut().take_if(|own| own.is_unshared());
        if let Some(waker) = unshared {
            self.queue.keep_waker(waker);
        }
    }

    /// Returns true if this is the task's waker.
    #[inline]
    pub(crate) fn is_woken_by(&self, waker: &Waker) -> bool {
        self.waker.borrow().as_ref().is_some_and(|own| own.waker.will_wake(waker))
    }

    /// Takes the waker out of a task that is dropped.
    #[inline]
    pub(crate) fn take_waker(&mut self) -> Option<OwnWaker> {
        self.waker.get_mut().take()
    }

    /// Queues a step of the task for a cancellation, unless it's queued already or has ended. If it
    /// isn't queued yet, it's the cancellation that ends its wait.
    pub(crate) fn wake(&self) {
        if !self.queued.get() {
            self.ended_a_wait.set(true);
        }
        self.queue.wake_task(self.id);
    }

    /// Notes a wake-up. Returns true if the caller has to queue the task: it isn't queued already,
    /// and hasn't ended.
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

    /// Notes what the task waits for.
    #[inline]
    pub(crate) fn wait_for(&self, target: Rc<dyn Awaited>) {
        let before = self.waits_for.replace(Some(target));
        drop(before);
    }

    /// Returns what the task waits for.
    pub(crate) fn waits_for(&self) -> Option<Rc<dyn Awaited>> {
        let waits_for = self.waits_for.take();
        self.waits_for.set(waits_for.clone());
        waits_for
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
        current_task::is_current(self)
    }

    /// Returns the name that was set, or "Task-" and its number.
    pub(crate) fn name(&self) -> String {
        let name = self.with_extras(|extras| extras.and_then(|extras| extras.name.clone()));
        name.map_or_else(|| format!("Task-{}", self.number), |name| name.to_string())
    }

    pub(crate) fn set_name(&self, name: &str) {
        self.change_extras(|extras| extras.name = Some(Rc::from(name)));
    }

    /// Notes that the program knows that the task might not end. (asyncio: `_log_destroy_pending`)
    pub(crate) fn expect_to_be_destroyed(&self) {
        self.is_known_to_be_pending.set(true);
    }

    pub(crate) fn is_destroyed_silently(&self) -> bool {
        self.is_known_to_be_pending.get()
    }

    pub(crate) fn cancel_message(&self) -> Option<Arc<str>> {
        self.with_extras(|extras| extras.and_then(|extras| extras.cancel_message.clone()))
    }

    /// Keeps the message of a request, as asyncio does: the last one's, or that of the one that has
    /// ended the wait.
    pub(crate) fn set_cancel_message(&self, message: Option<Arc<str>>) {
        let changes = message.is_some() || self.cancel_message().is_some();
        if changes && !self.ended_a_wait.get() {
            self.change_extras(|extras| extras.cancel_message = message);
        }
    }

    /// Takes what a request was passed on to, if that is done.
    #[inline]
    pub(crate) fn take_passed_to_if_done(&self) -> Option<Rc<dyn Awaited>> {
        let mut extras = self.extras.take()?;
        let done = extras.passed_to.take_if(|target| target.done());
        self.extras.set(Some(extras));
        done
    }

    #[inline]
    pub(crate) fn set_passed_to(&self, target: Option<Rc<dyn Awaited>>) {
        if target.is_some() || self.with_extras(|extras| extras.is_some()) {
            let mut before = target;
            self.change_extras(|extras| std::mem::swap(&mut extras.passed_to, &mut before));
            // It can be the last handle, and its destructor anybody's code.
            self.queue.discard(before);
        }
    }

    fn with_extras<R>(&self, look: impl FnOnce(Option<&Extras>) -> R) -> R {
        let extras = self.extras.take();
        let seen = look(extras.as_deref());
        self.extras.set(extras);
        seen
    }

    fn change_extras(&self, change: impl FnOnce(&mut Extras)) {
        let mut extras = self.extras.take().unwrap_or_default();
        change(&mut extras);
        self.extras.set(Some(extras));
    }
}
