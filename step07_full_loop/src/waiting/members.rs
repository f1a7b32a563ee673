//! The members of a task group: what their ends do to each other and to the group's own task.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{AnyTask, Error, ExceptionContext, Future, Result, Task, current_task};

use crate::event_loop::{EventLoop, get_running_loop};
use crate::waiting::ExceptionGroup;

#[derive(Debug, Default)]
pub(crate) struct Members {
    /// Set when the block begins.
    parent: OnceCell<Parent>,
    is_exiting: Cell<bool>,
    is_aborting: Cell<bool>,
    /// The group has asked its parent to end, and hasn't taken that back.
    has_cancelled_parent: Cell<bool>,
    /// Those that haven't ended, in the order in which they were made.
    tasks: RefCell<BTreeMap<u64, AnyTask>>,
    tasks_made: Cell<u64>,
    errors: RefCell<Vec<Error>>,
    /// What the parent waits for.
    all_ended: RefCell<Option<Future<()>>>,
}

/// The task that runs the block, and its loop.
#[derive(Debug)]
struct Parent {
    task: AnyTask,
    event_loop: EventLoop,
}

impl Members {
    /// Begins the block; asyncio's `__aenter__`.
    pub(crate) fn enter(&self) -> Result<()> {
        let task = current_task();
        let task = task.ok_or(Error::InvalidState("TaskGroup cannot determine the parent task"))?;
        let parent = Parent { task, event_loop: get_running_loop()? };
        let entered = self.parent.set(parent);
        entered.map_err(|_| Error::InvalidState("TaskGroup has already been entered"))
    }

    #[track_caller]
    pub(crate) fn create_task<T: 'static>(
        self: &Rc<Self>,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> Result<Task<T>> {
        let Some(parent) = self.parent.get() else {
            return Err(Error::InvalidState("TaskGroup has not been entered"));
        };
        if self.is_exiting.get() && self.tasks.borrow().is_empty() {
            return Err(Error::InvalidState("TaskGroup is finished"));
        }
        if self.is_aborting.get() {
            return Err(Error::InvalidState("TaskGroup is shutting down"));
        }
        let task = parent.event_loop.create_task(coroutine);
        self.add(&task);
        Ok(task)
    }

    fn add<T: 'static>(self: &Rc<Self>, task: &Task<T>) {
        let number = self.tasks_made.get();
        self.tasks_made.set(number + 1);
        self.tasks.borrow_mut().insert(number, task.any());
        // Weak, because the members hold the task, whose callback this is.
        let weak = Rc::downgrade(self);
        task.add_done_callback(move |task| {
            if let Some(members) = weak.upgrade() {
                members.one_has_ended(number, task);
            }
        });
    }

    /// Notes that a member has ended. The first error shuts the group down; asyncio's `_on_task_done`.
    fn one_has_ended<T: 'static>(&self, number: u64, task: &Future<T>) {
        let ended = self.tasks.borrow_mut().remove(&number);
        if self.tasks.borrow().is_empty() {
            self.wake_parent();
        }
        if let (Some(ended), Some(parent), Ok(Some(error))) =
            (ended, self.parent.get(), task.exception())
        {
            self.errors.borrow_mut().push(error.clone());
            self.shut_down(parent, &ended, error);
        }
    }

    fn wake_parent(&self) {
        // In a statement of its own: a waker can be anybody's code.
        let all_ended = self.all_ended.take();
        if let Some(all_ended) = all_ended {
            // It's done already if the parent was cancelled.
            let _ = all_ended.set_result(());
        }
    }

    fn shut_down(&self, parent: &Parent, failed: &AnyTask, error: Error) {
        if parent.task.done() {
            let message = format!(
                "Task {failed} has errored out but its parent task {} is already completed",
                parent.task
            );
            let context = ExceptionContext::new(message).with_exception(error).with_task(failed);
            parent.event_loop.call_exception_handler(&context);
        } else if self.abort() {
            self.has_cancelled_parent.set(true);
            parent.task.cancel();
        }
    }

    /// Cancels all members, and lets no more in. Returns false if that was done before.
    pub(crate) fn abort(&self) -> bool {
        if self.is_aborting.replace(true) {
            return false;
        }
        // In a statement of its own: cancelling can run anybody's code.
        let tasks: Vec<AnyTask> = self.tasks.borrow().values().cloned().collect();
        for task in tasks {
            task.cancel();
        }
        true
    }

    pub(crate) fn begin_exit(&self) {
        self.is_exiting.set(true);
    }

    /// Returns a future that's done when the last member has ended, and `None` if it has.
    pub(crate) fn all_ended(&self) -> Option<Future<()>> {
        if self.tasks.borrow().is_empty() {
            return None;
        }
        let all_ended = self.parent.get()?.event_loop.create_future();
        let before = self.all_ended.replace(Some(all_ended.clone()));
        drop(before);
        Some(all_ended)
    }

    /// Takes the group's own request to its parent back, if it has made one.
    pub(crate) fn take_back_own_request(&self) {
        if self.has_cancelled_parent.take()
            && let Some(parent) = self.parent.get()
        {
            parent.task.uncancel();
        }
    }

    /// Takes the errors out, and the block's own behind them.
    ///
    /// They hide a cancellation from outside. So a parent that was cancelled is asked once more, and
    /// the next thing that it waits for yields the cancellation; as in CPython since 3.13.
    pub(crate) fn take_errors(&self, of_the_block: Option<Error>) -> Option<ExceptionGroup> {
        let mut errors = self.errors.take();
        errors.extend(of_the_block);
        if errors.is_empty() {
            return None;
        }
        if let Some(parent) = self.parent.get()
            && parent.task.cancelling() > 0
        {
            parent.task.uncancel();
            parent.task.cancel();
        }
        Some(ExceptionGroup::new("unhandled errors in a TaskGroup", errors))
    }

    /// Leaves the block. If it was dropped in the middle, the members are cancelled now.
    pub(crate) fn leave(&self) {
        self.abort();
        self.take_back_own_request();
    }
}
