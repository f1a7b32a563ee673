//! A task whose result type has been erased: the queue runs such tasks, a list of tasks holds them,
//! and [`current_task`](crate::current_task) returns one of them. This file also contains the
//! task's control, the part of its state that doesn't depend on the result type.
//!
//! The queue and the code of a cancellation use a task only through two traits: an [`Awaited`] is a
//! future or a task, and an [`AnyTaskBody`] is a task. This file depends on neither coroutines nor
//! futures; `task.rs` uses both to implement the two traits for a task.
//!
//! | state of a task | where it's noted |
//! | --- | --- |
//! | *queued*: the ready queue holds it, once | `queued` |
//! | *running*: its coroutine is being polled | it's the current task |
//! | *waiting*: for a future, a task or another leaf | `waits_for`, which is `None` for another leaf |
//! | *ended*: its coroutine has ended or was dropped | `ended` |
//!
//! | event | before | after |
//! | --- | --- | --- |
//! | `create_task` | – | queued |
//! | its step begins | queued | running; no longer queued, so a wake-up queues it again |
//! | the coroutine returns `Pending` | running | waiting (and queued, if it was woken meanwhile) |
//! | a wake-up | waiting or running | also queued |
//! | the coroutine returns or panics | running | ended |
//! | it's cancelled before its first step | queued | ended at that step; none of its code has run |
//! | the queue is cleared | queued or waiting | ended without a result ("destroyed") |
//! | the queue is cleared in the task's own step | running | ended; it has an outcome only if the coroutine then returns or panics |
//!
//! `step.rs` describes a step, and `cancelling.rs` the states of a request to end.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::ready_queue::TaskWaker;
use crate::{Error, ReadyQueue, Result};

/// Identifies a task in its queue. Unlike the task, the id can be sent to other threads.
pub(crate) type TaskId = u64;

// ANCHOR: awaited
/// The target of a task's wait: a future or another task. If the waiting task is cancelled, the
/// request is passed on to the target.
pub(crate) trait Awaited {
    fn done(&self) -> bool;
    /// Returns the error of the cancellation if the future or task has ended cancelled.
    fn cancellation(&self) -> Option<Error>;
    fn cancelled(&self) -> bool {
        self.cancellation().is_some()
    }
    /// Cancels a future or asks a task to end. Returns false if the future or task is done, or if
    /// the future's override has nothing left to cancel or is passing a request on.
    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool;
    /// Returns true if `cancel` would have an effect.
    fn can_be_cancelled(&self) -> bool {
        !self.done()
    }
    /// Returns true if the future is pending but can't be cancelled because it's about to end. Only
    /// a future that overrides `cancel` can be in this state.
    fn is_about_to_end(&self) -> bool {
        false
    }
    /// Returns a task's control, and `None` for a future that belongs to no task.
    fn as_task(&self) -> Option<&Control> {
        None
    }
}
// ANCHOR_END: awaited

/// A task, whatever the type of its result.
pub(crate) trait AnyTaskBody: Awaited {
    fn control(&self) -> &Control;
    /// Resumes the coroutine, which runs until it ends or awaits a future that isn't done.
    fn step(self: Rc<Self>);
    /// Delivers a request to end that arrived when the task wasn't waiting.
    fn deliver(self: Rc<Self>);
    /// Drops the coroutine without running it.
    fn abandon(&self);
    fn exception(self: Rc<Self>) -> Result<Option<Error>>;
    fn add_done_callback(self: Rc<Self>, callback: Box<dyn FnOnce()>);
}

pub(crate) struct Control {
    pub(crate) id: TaskId,
    pub(crate) queue: ReadyQueue,
    /// The task's number in its queue, for the default name.
    number: u32,
    /// The place in the program that called `create_task`.
    pub(crate) created_at: &'static Location<'static>,
    /// The name that was set, behind a thin pointer because few tasks have a name.
    pub(crate) name: Cell<Option<Rc<String>>>,
    /// True if the program has declared that the task might never end, so that its destruction
    /// isn't reported.
    pub(crate) is_known_to_be_pending: Cell<bool>,
    /// The state of the task's waker while a step runs. If a clone of the waker is left after the
    /// step, or if the task is queued again, the task keeps this state for its next step.
    pub(crate) waker: RefCell<Option<Arc<TaskWaker>>>,
    pub(crate) queued: Cell<bool>,
    pub(crate) started: Cell<bool>,
    pub(crate) ended: Cell<bool>,
    /// The future or task that this task awaits, `None` for another leaf; asyncio's `_fut_waiter`.
    pub(crate) waits_for: Cell<Option<Rc<dyn Awaited>>>,
    // The fields below describe a request to end. A table in `cancelling.rs` shows the states of a
    // request and when each field changes.
    // ANCHOR: must_cancel
    /// True if a cancellation is *pending*: the next step delivers it; asyncio's `_must_cancel`.
    pub(crate) must_cancel: Cell<bool>,
    // ANCHOR_END: must_cancel
    /// True if the pending cancellation has ended the wait in a leaf. In asyncio, such a leaf
    /// awaits a future: cancelling the task cancels that future, and the future keeps the message
    /// and stays cancelled even if `uncancel` is called.
    pub(crate) ended_a_wait: Cell<bool>,
    /// True while a cancellation is *being delivered* in the running step: the first leaf that's
    /// polled consumes it. If no leaf is polled, the cancellation is kept for the next step.
    pub(crate) delivering: Cell<bool>,
    // ANCHOR: walk
    /// The number of requests to end that haven't been taken back; asyncio's
    /// `_num_cancels_requested`.
    pub(crate) requests: Cell<u32>,
    /// A visited mark: the number of the last walk by `cancel` that came through this task.
    pub(crate) walk: Cell<u64>,
    // ANCHOR_END: walk
    /// The message of the request, behind a thin pointer because few requests have a message.
    pub(crate) message: Cell<Option<Box<Arc<str>>>>,
    /// The target of a *passed on* request. The request comes back if the target ends cancelled.
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

    /// Returns the name that was set, or "Task-" and the task's number.
    pub(crate) fn name(&self) -> String {
        let name = self.name.take();
        self.name.set(name.clone());
        name.map_or_else(|| format!("Task-{}", self.number), |name| name.to_string())
    }

    /// Notes that the task has ended and releases the targets of its wait and of its request.
    #[inline]
    pub(crate) fn end(&self) {
        self.ended.set(true);
        // This is never the last handle, because a wait is noted only while a handle waits.
        drop(self.waits_for.take());
        self.set_passed_to(None);
    }

    /// Returns the future or task that this task waits for.
    pub(crate) fn waits_for(&self) -> Option<Rc<dyn Awaited>> {
        let waits_for = self.waits_for.take();
        self.waits_for.set(waits_for.clone());
        waits_for
    }

    /// Returns the result of [`AnyTask::waits_for`].
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

    /// Notes that the task no longer waits for this target.
    #[inline]
    pub(crate) fn stop_waiting_for(&self, target: *const ()) {
        if let Some(awaited) = self.waits_for.take()
            && Rc::as_ptr(&awaited).cast::<()>() != target
        {
            self.waits_for.set(Some(awaited));
        }
    }
}

/// The target of a task's wait, which [`AnyTask::waits_for`] returns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitsFor {
    /// The end of another task.
    Task(AnyTask),
    /// A future that belongs to no task.
    Future,
    /// A leaf of another kind. Only the leaf knows its target, such as a time or a descriptor.
    Leaf,
}

/// A handle to a task, whatever the type of its result. Two handles are equal if they refer to the
/// same task.
#[derive(Clone)]
pub struct AnyTask {
    pub(crate) body: Rc<dyn AnyTaskBody>,
}

impl AnyTask {
    /// Asks the task to end; see [`Task`](crate::Task). Returns false if the task has already
    /// ended.
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.body).cancel(None)
    }

    /// Asks the task to end, with a message that the error will contain. Returns false if the task
    /// has already ended.
    pub fn cancel_with(&self, message: &str) -> bool {
        Rc::clone(&self.body).cancel(Some(Arc::from(message)))
    }

    /// Returns the number of requests to end that haven't been taken back; asyncio's `cancelling`.
    pub fn cancelling(&self) -> u32 {
        self.body.control().requests.get()
    }

    /// Takes one request back and returns how many are left; asyncio's `uncancel`.
    pub fn uncancel(&self) -> u32 {
        self.body.control().uncancel()
    }

    /// Returns true if the task has ended.
    pub fn done(&self) -> bool {
        self.body.done()
    }

    /// Returns true if the task has ended cancelled.
    pub fn cancelled(&self) -> bool {
        self.body.cancelled()
    }

    /// Returns the coroutine's error, or `None` if the coroutine has returned a result.
    ///
    /// # Errors
    ///
    /// Fails as [`Future::exception`](crate::Future::exception) does.
    pub fn exception(&self) -> Result<Option<Error>> {
        Rc::clone(&self.body).exception()
    }

    /// Schedules `callback` for the end of the task, or at once if the task has ended.
    pub fn add_done_callback(&self, callback: impl FnOnce() + 'static) {
        Rc::clone(&self.body).add_done_callback(Box::new(callback));
    }

    /// Returns the name that was set, or a default: "Task-1" for the queue's first task.
    pub fn name(&self) -> String {
        self.body.control().name()
    }

    /// Names the task, for reports.
    pub fn set_name(&self, name: &str) {
        self.body.control().name.set(Some(Rc::new(name.to_owned())));
    }

    /// Declares that the task might never end, so that clearing its queue doesn't report the task;
    /// asyncio's `_log_destroy_pending = False`.
    pub fn expect_to_be_destroyed(&self) {
        self.body.control().is_known_to_be_pending.set(true);
    }

    /// Returns the place in the program that created the task.
    pub fn created_at(&self) -> &'static Location<'static> {
        self.body.control().created_at
    }

    /// Returns the target of the task's wait, or `None` if the task is ready, is running or has
    /// ended. If you follow the targets from task to task, you find the place where a program is
    /// stuck. For that purpose, asyncio has `_fut_waiter` and, since 3.14, `capture_call_graph`.
    ///
    /// ```
    /// use step06_tasks::{ReadyQueue, WaitsFor};
    /// let queue = ReadyQueue::new()?;
    /// let inner = queue.create_task(queue.create_future::<()>());
    /// let outer = queue.create_task(inner.clone());
    /// assert_eq!(outer.any().waits_for(), None, "it hasn't begun");
    /// queue.run_until_idle()?;
    /// assert_eq!(outer.any().waits_for(), Some(WaitsFor::Task(inner.any())));
    /// assert_eq!(inner.any().waits_for(), Some(WaitsFor::Future));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn waits_for(&self) -> Option<WaitsFor> {
        self.body.control().says_what_it_waits_for()
    }
}

/// Prints the task's state, name and origin as asyncio's debug mode does, and nothing else:
/// `<Task pending name='Task-1' created at src/main.rs:7>`.
impl fmt::Display for AnyTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.done(), self.cancelled()) {
            (false, _) if self.cancelling() > 0 => "cancelling",
            (false, _) => "pending",
            (true, false) => "finished",
            (true, true) => "cancelled",
        };
        let (name, place) = (self.name(), self.created_at());
        write!(f, "<Task {state} name='{name}' created at {}:{}>", place.file(), place.line())
    }
}

impl PartialEq for AnyTask {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Rc::as_ptr(&self.body), Rc::as_ptr(&other.body))
    }
}

impl Eq for AnyTask {}

impl fmt::Debug for AnyTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyTask").field(&self.name()).finish()
    }
}
