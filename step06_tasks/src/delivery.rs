//! Delivering: what a task's step does with a request to end.
//!
//! A cancellation that's pending when a step begins goes to the first leaf that the coroutine polls.
//! One that's requested during the step goes to what the coroutine waits for at its end.
//!
//! A request that was passed on to a future or a task comes back when that has ended cancelled:
//! then it's pending again. The coroutine mightn't poll that future or task once more: it can have
//! kept it from an earlier wait, and wait for something else now.

use std::cell::RefCell;
use std::rc::Rc;

use crate::control::{Cancel, Control};

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

    /// Returns true if a request that was passed on has come back. A task that ignores the request,
    /// and ends in another way, has consumed it.
    fn take_what_came_back(&self) -> bool {
        let ended = self.passed_to.borrow_mut().take_if(|target| target.done());
        ended.is_some_and(|target| target.cancelled())
    }

    /// Notes that the task has ended.
    pub(crate) fn end(&self, is_cancelled: bool) {
        self.done.set(true);
        self.cancelled.set(is_cancelled);
        self.passed_to.take();
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

/// A wait of the running task for something that can be cancelled. When it's dropped, the task has
/// given up waiting, and a request to end doesn't go there any more.
pub(crate) struct Wait {
    task: Rc<Control>,
    target: Rc<dyn Cancel>,
}

impl Wait {
    /// Begins a wait, if a task is running.
    pub(crate) fn begin(target: Rc<dyn Cancel>) -> Option<Wait> {
        let task = current()?;
        task.waits_for.replace(Some(Rc::clone(&target)));
        Some(Wait { task, target })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let is_this =
            |it: &Rc<dyn Cancel>| std::ptr::addr_eq(Rc::as_ptr(it), Rc::as_ptr(&self.target));
        if self.task.waits_for.borrow().as_ref().is_some_and(is_this) {
            self.task.waits_for.take();
        }
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
    if control.must_cancel.take() | control.take_what_came_back() {
        control.delivering.set(true);
    }
    let _restore = Restore(CURRENT.replace(Some(Rc::clone(control))));
    resume()
}

/// Returns the task whose step is running on this thread.
fn current() -> Option<Rc<Control>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Consumes the cancellation that the running step has to deliver, if any.
pub(crate) fn take_cancellation() -> bool {
    CURRENT.with_borrow(|task| task.as_ref().is_some_and(|task| task.delivering.take()))
}
