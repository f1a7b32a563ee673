//! A task without the type of its result: what the queue runs, what a list of tasks holds, and what
//! [`current_task`](crate::current_task) returns.
//!
//! The queue and what waits know a task by two traits only: what can be [`Awaited`] is a future or
//! a task, and [`AnyTaskBody`] is a task. This file knows neither coroutines nor futures; `task.rs`
//! implements both traits with both.

use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::control::Control;
use crate::{Error, Result};

/// Identifies a task in its queue. Unlike the task, it can be sent to other threads.
pub(crate) type TaskId = u64;

// ANCHOR: awaited
/// What a task can wait for and be cancelled in: a future, or another task.
pub(crate) trait Awaited {
    fn done(&self) -> bool;
    /// Returns the error of the cancellation, if it was cancelled.
    fn cancellation(&self) -> Option<Error>;
    fn cancelled(&self) -> bool {
        self.cancellation().is_some()
    }
    /// Cancels a future, or asks a task to end. Returns false if it's done already.
    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool;
    /// Returns true if `cancel` would do something.
    fn can_be_cancelled(&self) -> bool {
        !self.done()
    }
    /// Returns true if it's pending but can't be cancelled, because its end is on the way.
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
    /// Resumes the coroutine to its next unfinished future.
    fn step(self: Rc<Self>);
    /// Delivers a request to end that came when the task wasn't waiting.
    fn deliver(self: Rc<Self>);
    /// Drops the coroutine without running it.
    fn abandon(&self);
    fn exception(self: Rc<Self>) -> Result<Option<Error>>;
    fn add_done_callback(self: Rc<Self>, callback: Box<dyn FnOnce()>);
}

/// What a task waits for; [`AnyTask::waits_for`] returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitsFor {
    /// The end of another task.
    Task(AnyTask),
    /// A future that belongs to no task.
    Future,
    /// A leaf of another kind, which alone knows what it waits for: a time, a descriptor, its turn.
    Leaf,
}

/// Any task of a queue. Two are equal if they're the same task.
#[derive(Clone)]
pub struct AnyTask {
    pub(crate) body: Rc<dyn AnyTaskBody>,
}

impl AnyTask {
    /// Asks the task to end; see [`Task`](crate::Task).
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.body).cancel(None)
    }

    /// Asks the task to end, with a message that comes with the error.
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

    /// Returns true if the coroutine has ended.
    pub fn done(&self) -> bool {
        self.body.done()
    }

    /// Returns true if the coroutine has ended by being cancelled.
    pub fn cancelled(&self) -> bool {
        self.body.cancelled()
    }

    /// Returns the coroutine's error, or `None` if it has a result.
    ///
    /// # Errors
    ///
    /// Fails as [`Future::exception`](crate::Future::exception) does.
    pub fn exception(&self) -> Result<Option<Error>> {
        Rc::clone(&self.body).exception()
    }

    /// Schedules `callback` for when the task is done, or at once if it is.
    pub fn add_done_callback(&self, callback: impl FnOnce() + 'static) {
        Rc::clone(&self.body).add_done_callback(Box::new(callback));
    }

    /// Returns the name that was set, or otherwise "Task-1" for the queue's first task.
    pub fn name(&self) -> String {
        self.body.control().name()
    }

    /// Names the task, for reports.
    pub fn set_name(&self, name: &str) {
        self.body.control().name.set(Some(Rc::new(name.to_owned())));
    }

    /// Notes that the program knows that the task might never end, so it isn't reported if its
    /// queue is cleared first. (asyncio: `_log_destroy_pending = False`)
    pub fn expect_to_be_destroyed(&self) {
        self.body.control().is_known_to_be_pending.set(true);
    }

    /// Returns the place in the program that created the task.
    pub fn created_at(&self) -> &'static Location<'static> {
        self.body.control().created_at
    }

    /// Returns what the task waits for, or `None` if it doesn't wait: it's ready, it's running, or
    /// it has ended. From task to task, this leads to what a program is stuck at. (asyncio:
    /// `_fut_waiter`, and since 3.14 `capture_call_graph`)
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

/// Prints it like asyncio: `<Task pending name='Task-1' created at src/main.rs:7>`.
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
