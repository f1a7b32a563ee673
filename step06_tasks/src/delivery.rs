//! Delivering: what a task's step does with a request to end.
//!
//! A cancellation that's pending when a step begins goes to the first leaf that the coroutine polls.
//! One that's requested during the step goes to what the coroutine waits for at its end.

use std::cell::RefCell;
use std::rc::Rc;

use crate::control::Control;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Control>>> = const { RefCell::new(None) };
}

impl Control {
    /// Begins a step: from here on the task can be queued again, and it waits for nothing.
    pub(crate) fn begin_step(&self) {
        self.task_waker.queued.clear();
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

    pub(crate) fn is_current(&self) -> bool {
        CURRENT.with_borrow(|task| {
            task.as_ref().is_some_and(|task| std::ptr::eq(&raw const **task, self))
        })
    }
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
