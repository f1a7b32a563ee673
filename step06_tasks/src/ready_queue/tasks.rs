//! The tasks of a queue, in a table.

use step03_selector::Table;

use super::ReadyQueue;
use crate::any_task::TaskId;
use crate::{AnyTask, Runnable};

/// The tasks that haven't ended, in a table of step 03.
///
/// A waker can outlive its task, so the waker holds the table's token and not the task. A late
/// wake-up for a task that has ended finds no task, even if another task now has the same index.
///
/// The table doesn't shrink, since a task that outlives the others can be in the last place. After
/// a burst it keeps 28 bytes for each place, less than a tenth of what a task takes.
#[derive(Default)]
pub(crate) struct Tasks {
    table: Table<AnyTask>,
    /// The free indices. The index that was freed last is used first: that costs only a push and a
    /// pop, and the slot is probably still in the cache. The table has no more slots than the
    /// largest number of tasks that existed at once. POSIX makes the kernel hand out the lowest
    /// free descriptor, whereas a task can have any index.
    free: Vec<u32>,
    /// The number of indices that have ever been used.
    used: u32,
    /// The number of tasks ever made, for their names.
    made: u32,
}

impl Tasks {
    /// Adds a task under the id that [`next`](Tasks::next) returns.
    #[inline]
    pub(crate) fn insert(&mut self, task: AnyTask) {
        let index = self.next_index();
        if self.free.pop().is_none() {
            self.used += 1;
        }
        self.made = self.made.wrapping_add(1);
        self.table.insert(index, task);
    }

    /// Returns the id and the number that the next inserted task gets.
    #[inline]
    pub(crate) fn next(&self) -> (TaskId, u32) {
        (self.table.next_token(self.next_index()), self.made.wrapping_add(1))
    }

    #[inline]
    fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.used)
    }

    #[inline]
    pub(crate) fn get(&self, id: TaskId) -> Option<&AnyTask> {
        self.table.by_token(id)
    }

    /// Removes and returns the task and frees its index. The caller drops the task once no borrow
    /// is held.
    #[inline]
    pub(super) fn remove(&mut self, id: TaskId) -> Option<AnyTask> {
        let index = self.table.index_of(id)?;
        self.free.push(index);
        self.table.remove(index)
    }

    /// Returns all tasks, in the order of their indices.
    pub(crate) fn all(&self) -> Vec<AnyTask> {
        self.table.iter().cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.used as usize - self.free.len()
    }
}

impl ReadyQueue {
    // ANCHOR: wake
    /// Queues a step of the task with this id, if the task hasn't ended.
    #[inline]
    pub(crate) fn wake(&self, id: TaskId) {
        let task = self.shared.tasks.borrow().get(id).cloned();
        if let Some(task) = task {
            self.push(Runnable::Step(task));
        }
    }
    // ANCHOR_END: wake

    #[inline]
    pub(crate) fn forget_task(&self, id: TaskId) {
        let task = self.shared.tasks.borrow_mut().remove(id);
        // In a statement of its own, after the borrow of the table: the task can own anything.
        drop(task);
    }

    /// Returns the number of tasks that haven't ended.
    pub fn task_count(&self) -> usize {
        self.shared.tasks.borrow().len()
    }

    /// Returns all tasks that haven't ended, in no particular order; asyncio's `all_tasks`.
    pub fn all_tasks(&self) -> Vec<AnyTask> {
        self.shared.tasks.borrow().all()
    }

    /// Asks every task that hasn't ended to end. Returns the number of tasks whose `cancel`
    /// returned true.
    pub fn cancel_all_tasks(&self) -> usize {
        self.all_tasks().iter().filter(|task| task.cancel()).count()
    }
}
