//! The tasks that haven't ended, in a table of step 03.
//!
//! A waker has to work from any thread and can outlive its task, so it doesn't hold the task but
//! the table's token. A late wake-up for a task that has ended finds nothing, even if another task
//! now has the same index.

use std::mem;
use std::rc::Rc;

use step03_selector::Table;

use crate::queue_handle::QueueHandle;
use crate::task::Step;
use crate::task_waker::OwnWaker;

/// Identifies a task in its queue: the table's token, which can be sent to other threads, unlike
/// the task.
pub(crate) type TaskId = u64;

/// The number of wakers that are kept for other tasks at most.
const KEPT_WAKERS: usize = 1024;

/// The tasks of one queue.
#[derive(Default)]
pub(crate) struct Tasks {
    table: Table<Rc<dyn Step>>,
    /// The free indices. The last one freed is used first: that costs a push and a pop, the slot is
    /// still in the cache, and the table never grows beyond the most tasks that existed at a time.
    /// (The kernel hands out the lowest free descriptor because POSIX promises it; a task's index
    /// is private.)
    free: Vec<u32>,
    /// The number of indices that were ever used.
    used: u32,
    /// The most tasks at a time since memory was last given back.
    most: usize,
    /// Wakers that nothing holds any more, for other tasks.
    wakers: Vec<OwnWaker>,
}

impl Tasks {
    /// Returns the id that the next inserted task gets.
    #[inline]
    pub(crate) fn next_id(&self) -> TaskId {
        self.table.next_token(self.next_index())
    }

    /// Returns a waker for a task, mostly one that another task has used.
    #[inline]
    pub(crate) fn lend_waker(&mut self, id: TaskId, queue: &QueueHandle) -> OwnWaker {
        let Some(used) = self.wakers.pop() else {
            return OwnWaker::new(id, queue.clone());
        };
        used.assign(id);
        used
    }

    /// Keeps a waker for another task. Returns it if something else can still wake with it.
    #[inline]
    pub(crate) fn keep_waker(&mut self, waker: OwnWaker) -> Option<OwnWaker> {
        if self.wakers.len() >= KEPT_WAKERS || !waker.is_unshared() {
            return Some(waker);
        }
        self.wakers.push(waker);
        None
    }

    /// Adds a task, under the id that [`next_id`](Tasks::next_id) gives.
    #[inline]
    pub(crate) fn insert(&mut self, task: Rc<dyn Step>) {
        let index = self.next_index();
        if self.free.pop().is_none() {
            self.used += 1;
        }
        self.table.insert(index, task);
        self.most = self.most.max(self.len());
    }

    #[inline]
    fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.used)
    }

    #[inline]
    pub(crate) fn get(&self, id: TaskId) -> Option<&Rc<dyn Step>> {
        self.table.by_token(id)
    }

    /// Removes and returns the task, and frees its index. The caller drops the task once no borrow
    /// is held.
    #[inline]
    pub(crate) fn remove(&mut self, id: TaskId) -> Option<Rc<dyn Step>> {
        let index = self.table.index_of(id)?;
        self.free.push(index);
        self.table.remove(index)
    }

    /// Returns the most tasks that existed at a time, since `take_spare` was last called.
    #[inline]
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes what is kept for tasks to come, and forgets the indices above those of all tasks, so
    /// that the list of free ones is short again. The caller drops the wakers once no borrow is held.
    pub(crate) fn take_spare(&mut self) -> Vec<OwnWaker> {
        while self.used > 0 && self.table.get(self.used - 1).is_none() {
            self.used -= 1;
        }
        let used = self.used;
        self.free = self.free.iter().copied().filter(|index| *index < used).collect();
        self.most = self.len();
        mem::take(&mut self.wakers)
    }

    /// Returns all tasks, in the order of their indices.
    pub(crate) fn all(&self) -> Vec<Rc<dyn Step>> {
        self.table.iter().cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.used as usize - self.free.len()
    }
}
