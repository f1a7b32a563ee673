//! Cancelling: how the wish to end reaches the place where a task waits.
//!
//! A task that is asked to end is not killed. If it waits for a future or another task, that one
//! is cancelled, and its end wakes the task; otherwise the task is told at its next resume. Either
//! way the leaf it awaits yields `Err(Cancelled)`, and the coroutine may clean up as `?` carries
//! the error out.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use crate::inbox::{Inbox, Message};
use crate::local;
use crate::task_table::TaskId;

/// What can be cancelled while somebody waits for it.
pub(crate) trait Cancel {
    /// Returns false if it is done already.
    fn cancel(self: Rc<Self>) -> bool;
}

/// The part of a task that does not depend on its result.
pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) waker: Waker,
    task_waker: Arc<TaskWaker>,
    /// How often the task was asked to end.
    pub(crate) requests: Cell<u32>,
    /// The task shall be told at its next resume.
    pub(crate) must_cancel: Cell<bool>,
    /// This resume tells it: the first leaf that is polled takes the word.
    throws: Cell<bool>,
    /// It is passing a wish to cancel on to what it waits for.
    passes_on: Cell<bool>,
    pub(crate) waits_for: RefCell<Option<Rc<dyn Cancel>>>,
    pub(crate) done: Cell<bool>,
}

impl Control {
    /// The control of a task that stands in the queue for its first step.
    pub(crate) fn new(id: TaskId, inbox: Arc<Inbox>) -> Self {
        let task_waker = Arc::new(TaskWaker { id, inbox, is_queued: AtomicBool::new(true) });
        Control {
            id,
            waker: Waker::from(Arc::clone(&task_waker)),
            task_waker,
            requests: Cell::default(),
            must_cancel: Cell::default(),
            throws: Cell::default(),
            passes_on: Cell::default(),
            waits_for: RefCell::default(),
            done: Cell::default(),
        }
    }

    /// Begins a resume: from here on the task may be queued again, and it waits for nothing.
    pub(crate) fn begin_step(&self) {
        self.task_waker.is_queued.store(false, Ordering::Release);
        let waited_for = self.waits_for.take();
        drop(waited_for);
    }

    /// Takes the wish to cancel, if one is due.
    pub(crate) fn take_cancel(&self) -> bool {
        self.must_cancel.take() | self.throws.take()
    }

    /// Brings a wish that came while the task ran to what the task waits for now.
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

    /// Wakes the task to be told; but not a task that runs just now and cancels itself. Its step
    /// goes on to the next wait, and `deliver_late_cancel` finds it there.
    fn tell_at_next_resume(&self) {
        self.must_cancel.set(true);
        if !self.is_current() {
            self.waker.wake_by_ref();
        }
    }

    /// Whether it could be cancelled. Tasks may await each other in a ring, and the word must not
    /// go round for ever.
    fn cancel_what_it_waits_for(&self) -> bool {
        if self.passes_on.replace(true) {
            return false;
        }
        let waits_for = self.waits_for.borrow().clone();
        let passed_on = waits_for.is_some_and(Cancel::cancel);
        self.passes_on.set(false);
        passed_on
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
            self.tell_at_next_resume();
        }
        true
    }
    // ANCHOR_END: cancel
}

/// Wakes a task from any thread. Only its id travels: the task stays on the loop's thread.
struct TaskWaker {
    id: TaskId,
    inbox: Arc<Inbox>,
    is_queued: AtomicBool,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_queued.swap(true, Ordering::AcqRel) {
            return;
        }
        if !local::push_step(&self.inbox, self.id) {
            self.inbox.push(Message::Wake(self.id));
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Control>>> = const { RefCell::new(None) };
}

/// Runs `resume` as the step of this task. A wish to cancel that is due is told to the first leaf
/// it polls; if it polls none, the wish stays due.
pub(crate) fn with_current<R>(control: &Rc<Control>, resume: impl FnOnce() -> R) -> R {
    struct Restore(Option<Rc<Control>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    control.throws.set(control.must_cancel.take());
    let _restore = Restore(CURRENT.replace(Some(Rc::clone(control))));
    let resumed = resume();
    if control.throws.take() {
        control.must_cancel.set(true);
    }
    resumed
}

/// The task whose step is running on this thread.
pub(crate) fn current() -> Option<Rc<Control>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Whether the task that runs is told at this place that it shall end.
pub(crate) fn take_word() -> bool {
    CURRENT.with_borrow(|task| task.as_ref().is_some_and(|task| task.throws.take()))
}
