//! A task without the type of its result: for lists of tasks, and for the task that is running.

use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::task::Step;

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

    /// Returns the task's name: the one that was set, or "Task-1" for the queue's first task.
    pub fn name(&self) -> String {
        self.task.control().name()
    }

    /// Names the task, for reports.
    pub fn set_name(&self, name: &str) {
        self.task.control().set_name(name);
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
