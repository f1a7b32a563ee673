//! `TaskGroup`: tasks that end together.

use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{Result, Task};

use crate::waiting::members::Members;

/// A group of tasks that lets none run on alone: when its block is left, all have ended; asyncio's
/// `TaskGroup`.
///
/// If one fails, the others and the block are cancelled, and all errors come out together, in an
/// [`ExceptionGroup`](crate::ExceptionGroup). A member that ends cancelled hasn't failed.
///
/// In asyncio, it's a context manager: `async with TaskGroup() as group:`. Rust has none, so the block
/// is a coroutine, and `group` a variable. A clone is another handle to the same group, for a member
/// that adds more.
///
/// ```
/// use step07_full_loop::{TaskGroup, run};
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
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct TaskGroup {
    members: Rc<Members>,
}

impl TaskGroup {
    /// Makes a group. Its block hasn't begun.
    pub fn new() -> Self {
        TaskGroup::default()
    }

    /// Runs the block, waits until all members have ended, and returns what the block has returned.
    ///
    /// Fails with an [`ExceptionGroup`](crate::ExceptionGroup) of all errors, in the order in which they came, and the
    /// block's own last. If the task that awaits this is cancelled, so are the members; when they have
    /// ended, the cancellation comes out, unless there are errors. The group's own cancellation of that
    /// task doesn't come out: it's taken back with `uncancel`. Where versions of CPython count
    /// differently, this does as 3.13.
    ///
    /// If it's dropped in the middle, the members are cancelled, and nothing waits for them. Fails with
    /// `InvalidState` if the group was used before, or outside a task.
    pub async fn run<T>(&self, block: impl Coroutine<Output = Result<T>>) -> Result<T> {
        self.members.enter()?;
        let _in_the_block = InTheBlock { members: &self.members };
        let outcome = block.await;
        self.exit(outcome).await
    }

    /// Makes a task that belongs to the group. Fails with `InvalidState` if the block hasn't begun, if
    /// all has ended, or if the group is shutting down because of an error or a cancellation.
    #[track_caller]
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> Result<Task<T>> {
        self.members.create_task(coroutine)
    }

    // ANCHOR: exit
    /// Ends the block, whose outcome it gets; asyncio's `__aexit__`.
    ///
    /// First it tells the members that the exit begins. An error or a cancellation of the block aborts
    /// the group. Then this waits until all members have ended. If that wait is cancelled, it aborts
    /// the group, and waits again. A cancellation that comes while the group is shutting down already
    /// changes nothing.
    ///
    /// When all have ended, the group's own request to this task is taken back. If there are errors,
    /// they come out, the block's own last. If there are none, the cancellation that has aborted the
    /// group comes out, and if there's none either, what the block has returned.
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
            // If the group has cancelled its own task, that's because of an error.
            (Some(errors), _) => Err(errors.into()),
            (None, Some(cancelled)) => Err(cancelled),
            (None, None) => outcome,
        }
    }
    // ANCHOR_END: exit
}

/// A guard: the block runs, or the group waits for its members.
struct InTheBlock<'a> {
    members: &'a Members,
}

impl Drop for InTheBlock<'_> {
    fn drop(&mut self) {
        self.members.leave();
    }
}
