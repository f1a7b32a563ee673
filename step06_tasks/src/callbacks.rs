//! The list of a future's callbacks, in which each entry keeps its place until the future is done
//! or the entry's owner removes the entry.
//!
//! A task of the future's own queue is stored by its id alone, which needs no allocation of its
//! own, no clone of the task's waker, and no message at the wake-up.
//!
//! The list doesn't depend on the type of the future. `A` is the type of the argument that the
//! callbacks get: the future that's done.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::panic::Location;
use std::rc::Rc;
use std::task::Waker;

use crate::Places;
use crate::any_task::TaskId;
use crate::handle::{Call, Handle, Inner};

/// The callback, task or waker to schedule when the future is done.
pub(crate) enum Callback<A> {
    /// A task of the future's own queue.
    Task(TaskId),
    /// The waker of anything else that polls the future.
    Waker(Waker),
    /// A function that was passed to `add_done_callback`.
    Call(DoneCallback<A>),
}

/// Identifies a callback that waits for a future, so that the callback can be removed. No two
/// callbacks on a thread have the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallbackId(NonZeroU64);

thread_local! {
    /// The next id. It has 64 bits, since each wait takes an id: at a million waits per second, 32
    /// bits would be used up in little more than an hour. An id is never zero, so an `Option` of
    /// an id takes no more room than the id.
    static NEXT: Cell<NonZeroU64> = const { Cell::new(NonZeroU64::MIN) };
}

impl CallbackId {
    fn next() -> Self {
        let next = NEXT.get();
        NEXT.set(next.saturating_add(1));
        CallbackId(next)
    }
}

/// The callbacks of one future, in the order in which they were added.
///
/// A future that one task awaits has one callback, which is stored inline. In a list it would need
/// an allocation, so awaiting a future would take 4 to 8 % more instructions and 144 more bytes.
/// The box keeps `Many` as small as `One`.
#[derive(Default)]
pub(crate) enum Callbacks<A> {
    #[default]
    None,
    One(Entry<A>),
    Many(Box<Places<Callback<A>>>),
}

/// A callback and its id. As a tuple, they'd make the list 8 bytes larger in Rust 1.95.
pub(crate) struct Entry<A> {
    id: CallbackId,
    pub(crate) callback: Callback<A>,
}

impl<A> Callbacks<A> {
    /// Adds a callback after the existing callbacks.
    pub(crate) fn add(&mut self, callback: Callback<A>) -> CallbackId {
        let id = CallbackId::next();
        match self {
            Callbacks::None => *self = Callbacks::One(Entry { id, callback }),
            Callbacks::Many(list) => list.push(id.0.get(), callback),
            Callbacks::One(_) => self.add_second(id, callback),
        }
        id
    }

    #[cold]
    fn add_second(&mut self, id: CallbackId, callback: Callback<A>) {
        let mut list = Places::default();
        if let Callbacks::One(first) = std::mem::take(self) {
            list.push(first.id.0.get(), first.callback);
        }
        list.push(id.0.get(), callback);
        *self = Callbacks::Many(Box::new(list));
    }

    /// Puts `callback` in the place of the callback that has this id and returns the old callback,
    /// for the caller to drop once no borrow is held. If no callback with this id is listed any
    /// more, returns `callback`.
    pub(crate) fn replace(&mut self, id: CallbackId, callback: Callback<A>) -> Callback<A> {
        let place = match self {
            Callbacks::One(entry) if entry.id == id => Some(&mut entry.callback),
            Callbacks::None | Callbacks::One(_) => None,
            Callbacks::Many(list) => list.get_mut(id.0.get()),
        };
        match place {
            Some(place) => std::mem::replace(place, callback),
            None => callback,
        }
    }

    /// Removes and returns a callback. The caller drops it once no borrow is held.
    pub(crate) fn remove(&mut self, id: CallbackId) -> Option<Callback<A>> {
        if let Callbacks::Many(list) = self {
            return list.remove(id.0.get());
        }
        match std::mem::take(self) {
            Callbacks::One(entry) if entry.id == id => Some(entry.callback),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Takes all callbacks out of the list, in order.
    pub(crate) fn drain(self) -> impl Iterator<Item = Callback<A>> {
        let (only, list) = match self {
            Callbacks::None => (None, Places::default()),
            Callbacks::One(entry) => (Some(entry.callback), Places::default()),
            Callbacks::Many(list) => (None, *list),
        };
        only.into_iter().chain(list.into_values())
    }
}

/// A callback that runs when a future is done. The callback and the queued handle share an
/// allocation: with two allocations, waiting for many tasks takes 13 % more instructions.
pub(crate) struct DoneCallback<A> {
    inner: Rc<Inner<dyn CallWith<A>>>,
}

/// A callback that needs an argument before it can run.
trait CallWith<A>: Call {
    fn set_argument(&self, argument: A);
}

struct Done<F, A> {
    callback: Cell<Option<F>>,
    /// Set when the future is done. If it were set earlier, the future would keep itself alive.
    argument: Cell<Option<A>>,
}

impl<A: 'static> DoneCallback<A> {
    #[track_caller]
    pub(crate) fn new(callback: impl FnOnce(A) + 'static) -> Self {
        let callback = Done { callback: Cell::new(Some(callback)), argument: Cell::new(None) };
        let created_at = Location::caller();
        DoneCallback { inner: Rc::new(Inner { cancelled: Cell::new(false), created_at, callback }) }
    }
}

impl<A> DoneCallback<A> {
    /// Turns the callback into a handle for the caller to queue, now that `future` is done.
    pub(crate) fn into_handle(self, future: A) -> Handle {
        self.inner.callback.set_argument(future);
        Handle { inner: self.inner }
    }
}

impl<F: FnOnce(A), A> CallWith<A> for Done<F, A> {
    fn set_argument(&self, argument: A) {
        self.argument.set(Some(argument));
    }
}

impl<F: FnOnce(A), A> Call for Done<F, A> {
    fn run(&self, _cancelled: &Cell<bool>) {
        if let (Some(callback), Some(argument)) = (self.callback.take(), self.argument.take()) {
            callback(argument);
        }
    }

    fn forget(&self) {
        drop(self.callback.take());
        drop(self.argument.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_not_used_again_after_32_bits_of_them() {
        let first = CallbackId::next();
        NEXT.set(first.0.saturating_add(1 << 32));
        assert_ne!(CallbackId::next(), first);
    }

    #[test]
    fn a_list_is_no_larger_than_its_only_entry() {
        assert_eq!(size_of::<Callbacks<std::rc::Rc<dyn Send>>>(), 32);
    }
}
