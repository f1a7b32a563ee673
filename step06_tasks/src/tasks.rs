//! The tasks that haven't ended, in a table of step 03.
//!
//! A waker has to work from any thread and may outlive its task, so it carries no task but the
//! table's token. A late wake-up for a task that has ended finds nothing, even if another task is at
//! the same index by now.

use std::rc::Rc;

use step03_selector::Table;

/// The name of a task in its queue: the table's token, which may travel where the task may not.
pub(crate) type TaskId = u64;

/// What the queue asks of a task, whatever its result.
pub(crate) trait Step {
    /// Resumes the coroutine to its next unfinished future.
    fn step(&self);
    /// Cancels the task.
    fn cancel(&self) -> bool;
    /// Drops the coroutine without running it.
    fn abandon(&self);
}

/// The tasks of one queue.
#[derive(Default)]
pub(crate) struct Tasks {
    table: Table<Rc<dyn Step>>,
    /// The indices that were given back. The last one is used first: it costs a push and a pop, its
    /// slot is still in the cache, and the table never grows beyond the most tasks there ever were
    /// at a time. (The kernel gives the lowest free descriptor, because POSIX promises it; a task's
    /// index is seen by no one.)
    free: Vec<u32>,
    /// How many indices were ever used.
    used: u32,
}

impl Tasks {
    /// Returns the id of the task that is inserted next.
    pub(crate) fn next_id(&self) -> TaskId {
        self.table.next_token(self.next_index())
    }

    /// Adds a task, under the id that [`next_id`](Tasks::next_id) gives.
    pub(crate) fn insert(&mut self, task: Rc<dyn Step>) {
        let index = self.next_index();
        if self.free.pop().is_none() {
            self.used += 1;
        }
        self.table.insert(index, task);
    }

    fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.used)
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<Rc<dyn Step>> {
        self.table.by_token(id).cloned()
    }

    /// Takes the task out and frees its index. The caller drops it, once no borrow is held.
    pub(crate) fn remove(&mut self, id: TaskId) -> Option<Rc<dyn Step>> {
        let index = self.table.index_of(id)?;
        self.free.push(index);
        self.table.remove(index)
    }

    /// Returns all tasks, in the order of their indices.
    pub(crate) fn all(&self) -> Vec<Rc<dyn Step>> {
        self.table.iter().cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.used as usize - self.free.len()
    }
}
