//! Cancelling: how a request to end reaches the place where a task waits.
//!
//! A task that is asked to end isn't killed. If it waits for a future or another task, that future
//! or task is cancelled, and its end wakes the waiting task; otherwise the cancellation stays
//! pending until the task's next step. Either way the leaf that the task awaits yields
//! `Err(Cancelled)`, and the coroutine can clean up as `?` carries the error out.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use crate::local;
use crate::queue_handle::{Message, QueueHandle};
use crate::tasks::TaskId;

/// What can be cancelled while a task waits for it.
pub(crate) trait Cancel {
    /// Cancels it. Returns false if it's done already.
    fn cancel(self: Rc<Self>) -> bool;
}

/// The part of a task that does not depend on its result.
pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) waker: Waker,
    task_waker: Arc<TaskWaker>,
    /// The number of times the task was asked to end; asyncio's `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// A cancellation is pending: the next step delivers it. (asyncio: `_must_cancel`)
    pub(crate) must_cancel: Cell<bool>,
    /// Set during a step that has a cancellation to deliver; the first leaf that is polled
    /// consumes it.
    delivering: Cell<bool>,
    /// Set while this task passes a cancellation on to what it waits for.
    propagating: Cell<bool>,
    /// What the task awaits, if that can be cancelled. (asyncio: `_fut_waiter`)
    pub(crate) waits_for: RefCell<Option<Rc<dyn Cancel>>>,
    pub(crate) done: Cell<bool>,
}

impl Control {
    /// Makes the control of a task that is in the queue for its first step.
    pub(crate) fn new(id: TaskId, queue: QueueHandle) -> Self {
        let task_waker = Arc::new(TaskWaker { id, queue, is_queued: AtomicBool::new(true) });
        Control {
            id,
            waker: Waker::from(Arc::clone(&task_waker)),
            task_waker,
            requests: Cell::default(),
            must_cancel: Cell::default(),
            delivering: Cell::default(),
            propagating: Cell::default(),
            waits_for: RefCell::default(),
            done: Cell::default(),
        }
    }

    /// Begins a step: from here on the task can be queued again, and it waits for nothing.
    pub(crate) fn begin_step(&self) {
        // A swap, not a store. A waker on another thread that still finds `true` leaves the wake-up
        // to this step, so the poll must see what that thread published. Acquire guarantees that,
        // for the operation that reads the `true`; a store reads nothing, and could even be delayed
        // past the poll's reads.
        self.task_waker.is_queued.swap(false, Ordering::AcqRel);
        drop(self.waits_for.take());
    }

    /// Consumes the cancellation that is pending, if any.
    pub(crate) fn take_cancellation(&self) -> bool {
        self.must_cancel.take() | self.delivering.take()
    }

    /// Delivers a cancellation that was requested while the task ran, to what the task waits for
    /// now.
    pub(crate) fn deliver_late_cancel(&self) {
        if !self.must_cancel.get() {
            return;
        }
        if self.cancel_what_it_waits_for() {
            self.must_cancel.set(false);
        } else {
            self.waker.wake_by_ref();
        }
    }

    /// Schedules delivery at the next step. A task that cancels itself is running and needs no
    /// wake-up: its step goes on to the next wait, where `deliver_late_cancel` finds it.
    fn cancel_at_next_step(&self) {
        self.must_cancel.set(true);
        if !self.is_current() {
            self.waker.wake_by_ref();
        }
    }

    /// Cancels what the task waits for. Returns true if that could be cancelled. Tasks can await
    /// each other in a cycle: `propagating` stops the recursion.
    fn cancel_what_it_waits_for(&self) -> bool {
        if self.propagating.replace(true) {
            return false;
        }
        let waits_for = self.waits_for.borrow().clone();
        let could_cancel = waits_for.is_some_and(Cancel::cancel);
        self.propagating.set(false);
        could_cancel
    }

    pub(crate) fn is_current(&self) -> bool {
        CURRENT.with_borrow(|task| {
            task.as_ref().is_some_and(|task| std::ptr::eq(&raw const **task, self))
        })
    }
}

impl Cancel for Control {
    // ANCHOR: cancel
    /// Asks the task to end; asyncio's `Task.cancel`.
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
}

/// Wakes a task from any thread. Only its id travels: the task stays on the loop's thread.
struct TaskWaker {
    id: TaskId,
    queue: QueueHandle,
    is_queued: AtomicBool,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Release publishes what the caller did before, for the step that finds `true` to take over.
        if self.is_queued.swap(true, Ordering::AcqRel) {
            return;
        }
        if !local::push_step(self.queue.id(), self.id) {
            self.queue.send(Message::Wake(self.id));
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Control>>> = const { RefCell::new(None) };
}

/// Runs `resume` as the step of this task. A pending cancellation goes to the first leaf it polls;
/// if it polls none, the cancellation stays pending.
pub(crate) fn with_current<R>(control: &Rc<Control>, resume: impl FnOnce() -> R) -> R {
    struct Restore(Option<Rc<Control>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    control.delivering.set(control.must_cancel.take());
    let _restore = Restore(CURRENT.replace(Some(Rc::clone(control))));
    let resumed = resume();
    if control.delivering.take() {
        control.must_cancel.set(true);
    }
    resumed
}

/// Returns the task whose step is running on this thread.
pub(crate) fn current() -> Option<Rc<Control>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Consumes the cancellation that the running step has to deliver, if any.
pub(crate) fn take_cancellation() -> bool {
    CURRENT.with_borrow(|task| task.as_ref().is_some_and(|task| task.delivering.take()))
}
