//! What waits for a future: a list in which each entry keeps its place until the future is done.
//!
//! Nearly always one task of the same queue waits. That one is stored inline, by its id alone: it
//! costs no allocation, no clone of its waker, and no lock when it's woken.

use std::task::Waker;

use crate::Future;
use crate::tasks::TaskId;

/// Something to schedule when the future is done.
pub(crate) enum Callback<T: 'static> {
    /// A task of the future's own queue.
    Task(TaskId),
    /// Anything else that polls the future.
    Waker(Waker),
    /// A function, as `add_done_callback` takes it.
    Call(DoneCallback<T>),
}

type DoneCallback<T> = Box<dyn FnOnce(&Future<T>)>;

/// Identifies a callback of one future, for removing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallbackId(u32);

/// The callbacks of one future, in the order in which they were added.
pub(crate) struct Callbacks<T: 'static> {
    /// The first one, if it's a task.
    first: Option<(CallbackId, TaskId)>,
    others: Vec<(CallbackId, Callback<T>)>,
    next_id: u32,
}

impl<T> Callbacks<T> {
    /// Adds a callback behind the others.
    pub(crate) fn add(&mut self, callback: Callback<T>) -> CallbackId {
        let id = CallbackId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        match callback {
            Callback::Task(task) if self.first.is_none() && self.others.is_empty() => {
                self.first = Some((id, task));
            }
            callback => self.others.push((id, callback)),
        }
        id
    }

    /// Puts another callback in the place of this one, and returns the old one. The caller drops it
    /// once no borrow is held.
    pub(crate) fn replace(&mut self, id: CallbackId, callback: Callback<T>) -> Option<Callback<T>> {
        match (self.first, callback) {
            (Some((first, before)), Callback::Task(task)) if first == id => {
                self.first = Some((id, task));
                Some(Callback::Task(before))
            }
            (Some((first, before)), callback) if first == id => {
                self.first = None;
                self.others.insert(0, (id, callback));
                Some(Callback::Task(before))
            }
            (_, callback) => {
                let (_, place) = self.others.iter_mut().find(|(other, _)| *other == id)?;
                Some(std::mem::replace(place, callback))
            }
        }
    }

    /// Removes and returns a callback. The caller drops it once no borrow is held.
    pub(crate) fn remove(&mut self, id: CallbackId) -> Option<Callback<T>> {
        if let Some((_, task)) = self.first.take_if(|(first, _)| *first == id) {
            return Some(Callback::Task(task));
        }
        let index = self.others.iter().position(|(other, _)| *other == id)?;
        Some(self.others.remove(index).1)
    }

    /// Takes all callbacks out of the list, in their order.
    pub(crate) fn drain(mut self) -> impl Iterator<Item = Callback<T>> {
        let first = self.first.take().map(|(_, task)| Callback::Task(task));
        first.into_iter().chain(self.others.into_iter().map(|(_, callback)| callback))
    }
}

impl<T> Default for Callbacks<T> {
    fn default() -> Self {
        Callbacks { first: None, others: Vec::new(), next_id: 0 }
    }
}
