//! A task without the type of its result: for lists of tasks, and for the task that is running.

use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::task::Step;
use crate::{Error, Result};

/// Any task of a queue. Two are equal if they're the same task.
#[derive(Clone)]
pub struct AnyTask {
    task: Rc<dyn Step>,
}

impl AnyTask {
    pub(crate) fn new(task: Rc<dyn Step>) -> Self {
        AnyTask { task }
    }

    /// Asks the task to end; see [`Task::cancel`](crate::Task::cancel).
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.task).cancel(None)
    }

    /// Asks the task to end, with a message that comes with the error.
    pub fn cancel_with(&self, message: &str) -> bool {
        Rc::clone(&self.task).cancel(Some(Arc::from(message)))
    }

    /// Returns how often the task was asked to end, less what was taken back; asyncio's `cancelling`.
    pub fn cancelling(&self) -> u32 {
        self.task.control().requests.get()
    }

    /// Takes one request back, and returns how many are left; asyncio's `uncancel`.
    pub fn uncancel(&self) -> u32 {
        self.task.control().uncancel()
    }

    /// Returns true if the coroutine has ended.
    pub fn done(&self) -> bool {
        self.task.done()
    }

    /// Returns true if the coroutine has ended by being cancelled.
    pub fn cancelled(&self) -> bool {
        self.task.cancelled()
    }

    /// Returns the coroutine's error, or `None` if it has a result; see
    /// [`Future::exception`](crate::Future::exception).
    pub fn exception(&self) -> Result<Option<Error>> {
        Rc::clone(&self.task).exception()
    }

    /// Schedules `callback` for when the task is done, or at once if it is.
    pub fn add_done_callback(&self, callback: impl FnOnce() + 'static) {
        Rc::clone(&self.task).add_done_callback(Box::new(callback));
    }

    /// Returns the task's name: the one that was set, or "Task-1" for the queue's first task.
    pub fn name(&self) -> String {
        self.task.control().name()
    }

    /// Names the task, for reports.
    pub fn set_name(&self, name: &str) {
        self.task.control().set_name(name);
    }

    /// Notes that the program knows that the task might never end: it isn't reported if its queue is
    /// cleared before. (asyncio: `_log_destroy_pending = False`)
    pub fn expect_to_be_destroyed(&self) {
        self.task.control().expect_to_be_destroyed();
    }

    /// Returns the place in the program that created the task.
    pub fn created_at(&self) -> &'static Location<'static> {
        self.task.control().created_at
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
        std::ptr::addr_eq(Rc::as_ptr(&self.task), Rc::as_ptr(&other.task))
    }
}

impl Eq for AnyTask {}

impl fmt::Debug for AnyTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyTask").field(&self.name()).finish()
    }
}
