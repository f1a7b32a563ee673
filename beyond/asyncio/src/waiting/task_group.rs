//! `TaskGroup`: tasks that end together. If a member fails, the other members and the group's own
//! task are cancelled, and the group returns all errors in one [`ExceptionGroup`].

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{AnyTask, Error, ExceptionContext, Future, Result, Task, current_task};

use crate::{EventLoop, get_running_loop};

/// A group of tasks that leaves no task running: when [`run`](TaskGroup::run) returns, all tasks of
/// the group have ended; asyncio's `TaskGroup`.
///
/// If a member fails, the others and the block are cancelled, and all errors are returned together
/// in an [`ExceptionGroup`](crate::ExceptionGroup). A cancelled member hasn't failed.
///
/// In asyncio, a group is a context manager: `async with TaskGroup() as group:`. Rust has no
/// context managers, so the block is a coroutine and `group` a variable. A clone is another handle
/// to the same group, for a member that adds more members.
///
/// ```
/// use asyncio::{TaskGroup, run};
/// let sum = run(async {
///     let group = TaskGroup::new();
///     let (one, text) = group
///         .run(async {
///             let one = group.create_task(async { Ok(1) })?;
///             let text = group.create_task(async { Ok("two") })?;
///             Ok((one, text))
///         })
///         .await?;
///     // They have ended, so this doesn't wait.
///     Ok(one.await? + text.await?.len())
/// })?;
/// assert_eq!(sum, 4);
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct TaskGroup {
    members: Rc<Members>,
}

impl TaskGroup {
    /// Makes a group whose block hasn't begun.
    pub fn new() -> Self {
        TaskGroup::default()
    }

    /// Runs the block, waits until all members have ended, and returns the block's result.
    ///
    /// If the task that awaits this call is cancelled, the members are cancelled, too, and once
    /// they've ended, the call fails with `Cancelled`, unless there are errors. But if the block
    /// handles the cancellation and goes on, so does the group. The group's own request to cancel
    /// that task doesn't become the outcome: the group takes the request back with `uncancel`. If
    /// other code has asked to cancel that task, too, the group's errors hide that request. So the
    /// group makes the request again, which cancels the task's next wait, as in CPython since 3.13.
    ///
    /// If the call is dropped before it returns, the members are cancelled, but the group doesn't
    /// wait until they've ended.
    ///
    /// # Errors
    ///
    /// If there are errors, fails with an [`ExceptionGroup`](crate::ExceptionGroup) of all of them,
    /// in the order in which they happened but with the block's own error last. Fails with
    /// `Cancelled` as described, and with `InvalidState` if the group was used before, or if the
    /// call is awaited outside a task.
    pub async fn run<T>(&self, block: impl Coroutine<Output = Result<T>>) -> Result<T> {
        self.members.enter()?;
        let _in_the_block = InTheBlock { members: &self.members };
        let outcome = block.await;
        self.exit(outcome).await
    }

    /// Makes a task that belongs to the group.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the block hasn't begun, if the block and all members have
    /// ended, or if the group is shutting down because of an error or a cancellation, or because
    /// the call of [`run`](TaskGroup::run) was dropped.
    #[track_caller]
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> Result<Task<T>> {
        let members = &self.members;
        let Some(parent) = members.parent.get() else {
            return Err(Error::InvalidState("TaskGroup has not been entered"));
        };
        if members.is_exiting.get() && members.tasks.borrow().is_empty() {
            return Err(Error::InvalidState("TaskGroup is finished"));
        }
        if members.is_aborting.get() {
            return Err(Error::InvalidState("TaskGroup is shutting down"));
        }
        let task = parent.event_loop.create_task(coroutine);
        members.add(&task);
        Ok(task)
    }

    // ANCHOR: exit
    /// Ends the group; asyncio's `__aexit__`. Given the block's outcome, waits until every member
    /// has ended. Then returns all errors, if there are any, with the block's own error at the end.
    /// If there are no errors, returns the cancellation that has shut the group down, or else the
    /// block's outcome.
    ///
    /// - If the block has failed or was cancelled, the members are cancelled, too. A cancellation
    ///   isn't one of the errors (`a_group_is_cancelled`).
    /// - Members can make more members until the last member has ended, though not in a group
    ///   that's shutting down (`groups_that_end`).
    /// - If the group's own task is cancelled while it waits, the group shuts down. The task still
    ///   waits until the members have cleaned up (`groups_that_end`).
    /// - A cancellation that arrives when the group is already shutting down isn't the outcome
    ///   (`groups_that_end`).
    /// - While members run, they see the group's own request to cancel its task. Once they've
    ///   ended, the group takes the request back, so the request doesn't cancel the task's next
    ///   wait (`the_errors_of_a_group`). A request by other code isn't taken back
    ///   (`groups_that_end`).
    async fn exit<T>(&self, outcome: Result<T>) -> Result<T> {
        let members = &self.members;
        members.begin_exit();
        if outcome.is_err() {
            members.abort();
        }
        let mut cancellation = None;
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await
                && members.abort()
            {
                cancellation = Some(cancelled);
            }
        }
        members.take_back_own_request();
        let error = outcome.as_ref().err().filter(|error| !error.is_cancelled());
        match (members.take_errors(error.cloned()), cancellation) {
            // If the group has cancelled its own task, an error was the reason.
            (Some(errors), _) => Err(errors.into()),
            (None, Some(cancelled)) => Err(cancelled),
            (None, None) => outcome,
        }
    }
    // ANCHOR_END: exit
}

/// A guard that exists while the block runs or the group waits for its members.
struct InTheBlock<'a> {
    members: &'a Members,
}

impl Drop for InTheBlock<'_> {
    fn drop(&mut self) {
        self.members.leave();
    }
}

#[derive(Debug, Default)]
struct Members {
    /// Set when the block begins.
    parent: OnceCell<Parent>,
    is_exiting: Cell<bool>,
    is_aborting: Cell<bool>,
    /// True if the group has asked its parent to end and hasn't taken the request back.
    has_cancelled_parent: Cell<bool>,
    /// The members that haven't ended, in the order in which they were made.
    tasks: RefCell<BTreeMap<u64, AnyTask>>,
    tasks_made: Cell<u64>,
    errors: RefCell<Vec<Error>>,
    /// The future that the parent waits for.
    all_ended: RefCell<Option<Future<()>>>,
}

/// The task that runs the block, and the task's loop.
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

    fn add<T: 'static>(self: &Rc<Self>, task: &Task<T>) {
        let number = self.tasks_made.get();
        self.tasks_made.set(number + 1);
        self.tasks.borrow_mut().insert(number, task.any());
        // Weak, because the members hold the task, which has this callback.
        let weak = Rc::downgrade(self);
        task.add_done_callback(move |task| {
            if let Some(members) = weak.upgrade() {
                members.one_has_ended(number, task);
            }
        });
    }

    /// Notes that a member has ended. The first error shuts the group down; asyncio's
    /// `_on_task_done`.
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
        // The borrow ends here, since a waker can run any code.
        let all_ended = self.all_ended.take();
        if let Some(all_ended) = all_ended {
            // The future is already done if the parent was cancelled.
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

    /// Cancels all members and accepts no new ones. If the group is already shutting down, does
    /// nothing and returns false.
    pub(crate) fn abort(&self) -> bool {
        if self.is_aborting.replace(true) {
            return false;
        }
        // The borrow ends here, since cancelling can run any code.
        let tasks: Vec<AnyTask> = self.tasks.borrow().values().cloned().collect();
        for task in tasks {
            task.cancel();
        }
        true
    }

    // ANCHOR: end_of_members
    fn begin_exit(&self) {
        self.is_exiting.set(true);
    }

    /// Returns a future that's done when the last member has ended, or `None` if all members have
    /// already ended.
    fn all_ended(&self) -> Option<Future<()>> {
        if self.tasks.borrow().is_empty() {
            return None;
        }
        let all_ended = self.parent.get()?.event_loop.create_future();
        let before = self.all_ended.replace(Some(all_ended.clone()));
        drop(before);
        Some(all_ended)
    }

    /// Takes back the group's own request to cancel its parent, if there's such a request.
    fn take_back_own_request(&self) {
        if self.has_cancelled_parent.take()
            && let Some(parent) = self.parent.get()
        {
            parent.task.uncancel();
        }
    }
    // ANCHOR_END: end_of_members

    /// Takes the members' errors out and adds the block's own error at the end. Returns `None` if
    /// there are no errors.
    ///
    /// Errors hide a cancellation by other code. So if there are errors and the parent still has a
    /// request to end, this method repeats the request, which cancels the parent's next wait, as in
    /// CPython since 3.13.
    fn take_errors(&self, of_the_block: Option<Error>) -> Option<ExceptionGroup> {
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

    /// Leaves the block. If the call of `run` was dropped before it returned, cancels the members
    /// and takes back the group's own request to cancel its parent.
    pub(crate) fn leave(&self) {
        self.abort();
        self.take_back_own_request();
    }
}

/// One or more errors that are returned together; Python's `ExceptionGroup`. The group is inside an
/// [`Error::Other`], from which [`of`](ExceptionGroup::of) returns the group.
#[derive(Debug, Clone)]
pub struct ExceptionGroup {
    message: &'static str,
    exceptions: Vec<Error>,
}

impl ExceptionGroup {
    pub(crate) fn new(message: &'static str, exceptions: Vec<Error>) -> Self {
        ExceptionGroup { message, exceptions }
    }

    /// Returns the group inside an error, if any.
    ///
    /// ```
    /// use asyncio::{Error, ExceptionGroup, TaskGroup, run};
    /// let errors = run(async {
    ///     let group = TaskGroup::new();
    ///     let ended = group.run(async {
    ///         group.create_task(async { Err::<(), _>(Error::other("no such user")) })?;
    ///         Ok(())
    ///     });
    ///     let error = ended.await.expect_err("a member fails");
    ///     Ok(ExceptionGroup::of(&error).map(|group| group.exceptions().to_vec()))
    /// })?;
    /// assert_eq!(errors.expect("a group")[0].to_string(), "no such user");
    /// # Ok::<(), asyncio::LoopError>(())
    /// ```
    pub fn of(error: &Error) -> Option<&ExceptionGroup> {
        match error {
            Error::Other(other) => other.downcast_ref(),
            _ => None,
        }
    }

    /// Returns the members' errors in the order in which they happened, followed by the block's own
    /// error, if any.
    pub fn exceptions(&self) -> &[Error] {
        &self.exceptions
    }
}

/// Prints the message and the number of errors, as Python does.
impl fmt::Display for ExceptionGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.exceptions.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{} ({count} sub-exception{plural})", self.message)
    }
}

impl std::error::Error for ExceptionGroup {}

impl From<ExceptionGroup> for Error {
    fn from(group: ExceptionGroup) -> Self {
        Error::other(group)
    }
}
