//! The task whose step is running on this thread.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::task::Waker;

use crate::control::Control;
use crate::task::Step;
use crate::tasks::TaskId;
use crate::{AnyTask, ReadyQueue};

thread_local! {
    static CURRENT_TASK: RefCell<Option<Rc<dyn Step>>> = const { RefCell::new(None) };
}

/// Returns the task that is running on this thread; asyncio's `current_task`. In a callback there's
/// none.
pub fn current_task() -> Option<AnyTask> {
    current().map(AnyTask::new)
}

#[inline]
pub(crate) fn current() -> Option<Rc<dyn Step>> {
    CURRENT_TASK.with_borrow(Clone::clone)
}

/// Calls `resume` while `task` is the current one.
#[inline]
pub(crate) fn with_current<R>(task: Rc<dyn Step>, resume: impl FnOnce() -> R) -> R {
    struct Restore(Option<Rc<dyn Step>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            drop(CURRENT_TASK.replace(self.0.take()));
        }
    }
    let _restore = Restore(CURRENT_TASK.replace(Some(task)));
    resume()
}

/// Calls a function with the current task's control, if there's a current task. The function must
/// not run anybody's code.
#[inline]
pub(crate) fn with_control<R>(look: impl FnOnce(&Control) -> Option<R>) -> Option<R> {
    CURRENT_TASK.with_borrow(|task| look(task.as_ref()?.control()))
}

/// Returns true if this is the control of the current task.
#[inline]
pub(crate) fn is_current(control: &Control) -> bool {
    with_control(|current| Some(std::ptr::eq(current, control))).unwrap_or(false)
}

/// Returns true if the current task belongs to this queue.
#[inline]
pub(crate) fn is_of(queue: &ReadyQueue) -> bool {
    with_control(|current| Some(current.queue.id() == queue.id())).unwrap_or(false)
}

/// Returns the current task, if this is its waker. (A future that polls others, like a `select`, can
/// hand them a waker of its own.)
#[inline]
pub(crate) fn woken_by(waker: &Waker) -> Option<Weak<dyn Step>> {
    CURRENT_TASK.with_borrow(|task| {
        let task = task.as_ref()?;
        task.control().is_woken_by(waker).then(|| Rc::downgrade(task))
    })
}

/// Returns the current task's id, if this is its waker and it belongs to this queue.
#[inline]
pub(crate) fn id_if_woken_by(waker: &Waker, queue: &ReadyQueue) -> Option<TaskId> {
    with_control(|control| {
        let is_it = control.is_woken_by(waker) && control.queue.id() == queue.id();
        is_it.then_some(control.id)
    })
}
