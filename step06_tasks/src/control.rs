//! Cancelling: how a request to end reaches the place where a task waits.
//!
//! A task that is asked to end isn't killed. The leaf that it awaits yields `Err(Cancelled)`, and
//! the coroutine can clean up as `?` carries the error out. What a step does with a request is in
//! `delivery.rs`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Wake, Waker};

use crate::local;
use crate::queue_handle::{Message, QueueHandle};
use crate::queued::QueuedFlag;
use crate::tasks::TaskId;

/// What can be cancelled while a task waits for it.
pub(crate) trait Cancel {
    /// Cancels it. Returns false if it's done already.
    fn cancel(self: Rc<Self>) -> bool;
    fn done(&self) -> bool;
    fn cancelled(&self) -> bool;
}

/// The part of a task that does not depend on its result.
pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) waker: Waker,
    pub(crate) task_waker: Arc<TaskWaker>,
    /// The number of times the task was asked to end; asyncio's `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// A cancellation is pending: the next step delivers it. (asyncio: `_must_cancel`)
    pub(crate) must_cancel: Cell<bool>,
    /// The step has a cancellation to deliver; the first leaf that is polled consumes it. If none
    /// is, it stays for the next step.
    pub(crate) delivering: Cell<bool>,
    /// Set while this task passes a cancellation on to what it waits for.
    propagating: Cell<bool>,
    /// What the task awaits, if that can be cancelled. (asyncio: `_fut_waiter`)
    pub(crate) waits_for: RefCell<Option<Rc<dyn Cancel>>>,
    /// What a request was passed on to. It comes back if that ends cancelled.
    pub(crate) passed_to: RefCell<Option<Rc<dyn Cancel>>>,
    pub(crate) done: Cell<bool>,
    pub(crate) cancelled: Cell<bool>,
}

impl Control {
    /// Makes the control of a task that is in the queue for its first step.
    pub(crate) fn new(id: TaskId, queue: QueueHandle) -> Self {
        let task_waker = Arc::new(TaskWaker { id, queue, queued: QueuedFlag::of_a_queued_task() });
        Control {
            id,
            waker: Waker::from(Arc::clone(&task_waker)),
            task_waker,
            requests: Cell::default(),
            must_cancel: Cell::default(),
            delivering: Cell::default(),
            propagating: Cell::default(),
            waits_for: RefCell::default(),
            passed_to: RefCell::default(),
            done: Cell::default(),
            cancelled: Cell::default(),
        }
    }

    /// Schedules delivery at the next step. A task that cancels itself is running and needs no
    /// wake-up: its step goes on to the next wait, where `deliver_late_cancel` finds it.
    pub(crate) fn cancel_at_next_step(&self) {
        self.must_cancel.set(true);
        if !self.is_current() {
            self.waker.wake_by_ref();
        }
    }

    /// Cancels what the task waits for. Returns true if that could be cancelled. A task that runs
    /// waits for nothing yet. Tasks can await each other in a cycle: `propagating` stops the
    /// recursion.
    pub(crate) fn cancel_what_it_waits_for(&self) -> bool {
        if self.is_current() || self.propagating.replace(true) {
            return false;
        }
        let waits_for = self.waits_for.borrow().clone();
        let could_cancel = waits_for.clone().is_some_and(Cancel::cancel);
        if could_cancel {
            self.passed_to.replace(waits_for);
        }
        self.propagating.set(false);
        could_cancel
    }
}

impl Cancel for Control {
    // ANCHOR: cancel
    /// Asks the task to end; asyncio's `Task.cancel`. Returns false if it's done already, and then
    /// does nothing.
    ///
    /// Every request counts, in `requests`. A future or a task that the task waits for is cancelled,
    /// too, and its end wakes the task: so inner tasks clean up before outer ones. If the task waits
    /// for nothing that can be cancelled, its next step gets the error. Another request is treated
    /// like the first one, whatever the task did with that; but the coroutine gets one error for all
    /// that arrive before its next step.
    fn cancel(self: Rc<Self>) -> bool {
        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        if !self.cancel_what_it_waits_for() {
            self.cancel_at_next_step();
        }
        true
    }
    // ANCHOR_END: cancel

    fn done(&self) -> bool {
        self.done.get()
    }

    fn cancelled(&self) -> bool {
        self.cancelled.get()
    }
}

/// Wakes a task from any thread. Only its id travels: the task stays on the loop's thread.
pub(crate) struct TaskWaker {
    id: TaskId,
    queue: QueueHandle,
    pub(crate) queued: QueuedFlag,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.queued.set() && !local::push_step(self.queue.id(), self.id) {
            self.queue.send(Message::Wake(self.id));
        }
    }
}
