//! A step of a task: the current task, the effect that a request to end has on the step, the waker
//! that the coroutine gets, and the check that a leaf makes when it's polled.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::task::{Poll, Waker};

use crate::any_task::{Awaited, Control};
use crate::ready_queue::TaskWaker;
use crate::{AnyTask, Error, Result};

thread_local! {
    static CURRENT_TASK: RefCell<Option<AnyTask>> = const { RefCell::new(None) };
}

/// Returns the task that is running on this thread, or `None` if no task is running, as in a
/// callback; asyncio's `current_task`.
pub fn current_task() -> Option<AnyTask> {
    ask_current(|task| Some(task.clone()))
}

/// Calls `ask` with the current task, if any. `ask` must not run user code.
#[inline]
pub(crate) fn ask_current<R>(ask: impl FnOnce(&AnyTask) -> Option<R>) -> Option<R> {
    CURRENT_TASK.with_borrow(|task| task.as_ref().and_then(ask))
}

// ANCHOR: take_step
/// Takes the step that the queue asks for, or delivers a request to end that arrived before the
/// first step. A request that arrives while the coroutine runs is delivered after the step.
#[inline]
pub(crate) fn take_step(task: AnyTask) {
    let control = task.body.control();
    if control.started.get() || !control.must_cancel.get() {
        let _running = begin_step(task.clone());
        Rc::clone(&task.body).step();
        control.give_up_waker();
    }
    if control.must_cancel.get() && !control.ended.get() {
        task.body.deliver();
    }
}
// ANCHOR_END: take_step

/// A guard: while it lives, its task is the current task, and the task's queue can't be entered.
pub(crate) struct Running {
    before: Option<AnyTask>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let task = CURRENT_TASK.replace(self.before.take());
        if let Some(task) = task {
            task.body.control().queue.shared.is_in_a_step.set(false);
        }
    }
}

/// Makes `task` the current task, until the guard is dropped, and notes that its coroutine is being
/// polled: the task has started and waits for nothing. Also finds out whether this step has a
/// cancellation to deliver.
///
/// If the target of the wait has ended cancelled, that cancellation came first, so its message is
/// delivered, as in asyncio. Otherwise the message comes from the request that ended the wait. If
/// the task was woken before any request, no request ended the wait, and the message comes from the
/// last request.
#[inline]
pub(crate) fn begin_step(task: AnyTask) -> Running {
    let control = task.body.control();
    control.started.set(true);
    let awaited = control.waits_for.take();
    let was_pending = control.must_cancel.take();
    let passed_to = control.passed_to.take();
    let has_come_back = passed_to.is_some_and(|target| control.has_come_back(target));
    if was_pending || has_come_back {
        control.delivering.set(true);
        control.ended_a_wait.set(false);
        if let Some(Error::Cancelled(message)) = awaited.and_then(|it| it.cancellation()) {
            control.set_cancel_message(message);
        }
    }
    control.queue.shared.is_in_a_step.set(true);
    Running { before: CURRENT_TASK.replace(Some(task)) }
}

impl Control {
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        ask_current(|task| Some(std::ptr::eq(task.body.control(), self))).unwrap_or(false)
    }

    /// Returns true if a request that was passed on to `target` has come back because `target` has
    /// ended cancelled. The coroutine doesn't always poll `target` again: it may have kept `target`
    /// from an earlier wait and now wait for something else. If `target` has ended in another way,
    /// it has dealt with the request, so this task isn't cancelled.
    fn has_come_back(&self, target: Rc<dyn Awaited>) -> bool {
        if !target.done() {
            self.passed_to.set(Some(target));
            return false;
        }
        let is_cancelled = target.cancelled();
        // This can be the last handle, and the target's destructor can run any code.
        self.queue.discard(target);
        is_cancelled
    }

    // ANCHOR: waker_state
    /// Returns the state of the task's waker: the state that the task keeps, the queue's spare
    /// state or a new one.
    #[inline]
    pub(crate) fn waker_state(&self) -> Arc<TaskWaker> {
        let mut own = self.waker.borrow_mut();
        let own = own.get_or_insert_with(|| {
            let spare = self.queue.shared.spare_waker.take();
            let spare = spare.inspect(|spare| spare.task.store(self.id, Ordering::Relaxed));
            spare.unwrap_or_else(|| TaskWaker::new(self.id, self.queue.handle()))
        });
        Arc::clone(own)
    }
    // ANCHOR_END: waker_state

    /// Leaves the waker's state to the next step in this queue, unless the waker has a clone or
    /// this task is queued again. A task that waits only for futures, timers and descriptors of its
    /// own loop needs no waker while it waits.
    #[inline]
    fn give_up_waker(&self) {
        if !self.queued.get()
            && let Some(spare) = self.waker.borrow_mut().take_if(|own| Arc::strong_count(own) == 1)
        {
            // Acquire: other threads have read the task's id before it's changed for another task.
            fence(Ordering::Acquire);
            self.queue.shared.spare_waker.set(Some(spare));
        }
    }

    /// Returns true if `waker` is the task's own waker.
    #[inline]
    pub(crate) fn is_woken_by(&self, waker: &Waker) -> bool {
        // A waker that was made from an `Arc` has the `Arc`'s address as its data. As long as `own`
        // exists, only a waker made by hand from this waker's data can have that address, too.
        let is_it = |own: &Arc<TaskWaker>| waker.data() == Arc::as_ptr(own).cast();
        self.waker.borrow().as_ref().is_some_and(is_it)
    }
}

/// Checks for a request to end the running task. A leaf should make this check first when it's
/// polled.
///
/// # Errors
///
/// Fails with `Cancelled` if the running task has a cancellation to deliver; the check consumes the
/// cancellation. Outside a task, the check always succeeds.
#[inline]
pub fn check_cancelled() -> Result<()> {
    let cancelled = ask_current(|task| {
        let control = task.body.control();
        control.delivering.take().then(|| Error::Cancelled(control.cancel_message()))
    });
    cancelled.map_or(Ok(()), Err)
}

/// Lets all other ready tasks and callbacks run first; asyncio's `sleep(0)`. `yield_now` is the
/// smallest possible leaf, because it waits only for the next round.
///
/// # Errors
///
/// Fails with `Cancelled` if the task is cancelled.
pub async fn yield_now() -> Result<()> {
    let mut has_yielded = false;
    poll_fn(|context| {
        check_cancelled()?;
        if has_yielded {
            return Poll::Ready(Ok(()));
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
