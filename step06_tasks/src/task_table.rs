//! Who holds the tasks: a table from a small id to the task.
//!
//! An id may travel where the task may not, and it may outlive the task: the generation tells a
//! late wake-up for a finished task from one for the task that has its place now.

use std::rc::Rc;

/// The name of a task in one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TaskId {
    index: u32,
    generation: u32,
}

/// What the queue asks of a task.
pub(crate) trait Step {
    /// Resumes the coroutine to its next unfinished future.
    fn step(&self);
    /// Cancels the task.
    fn cancel(&self) -> bool;
    /// Drops the coroutine without running it.
    fn abandon(&self);
}

#[derive(Default)]
pub(crate) struct TaskTable {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    task: Option<Rc<dyn Step>>,
}

impl TaskTable {
    /// Takes a place for the task that `make` builds with its id.
    pub(crate) fn reserve(&mut self) -> TaskId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            u32::try_from(self.slots.len() - 1).expect("fewer than four billion tasks")
        });
        TaskId { index, generation: self.slots[index as usize].generation }
    }

    pub(crate) fn put(&mut self, id: TaskId, task: Rc<dyn Step>) {
        self.slots[id.index as usize].task = Some(task);
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<Rc<dyn Step>> {
        let slot = self.slots.get(id.index as usize)?;
        if slot.generation == id.generation { slot.task.clone() } else { None }
    }

    /// Takes the task out and frees its place. The caller drops it, once no borrow is held.
    pub(crate) fn remove(&mut self, id: TaskId) -> Option<Rc<dyn Step>> {
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation != id.generation {
            return None;
        }
        let task = slot.task.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        Some(task)
    }

    /// All tasks that are not finished, in the order of their places.
    pub(crate) fn all(&self) -> Vec<Rc<dyn Step>> {
        self.slots.iter().filter_map(|slot| slot.task.clone()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
