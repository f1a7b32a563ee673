//! What waits for a future: a list in which each entry keeps its place until the future is done.
//!
//! Nearly always there's one: a task of the same queue waits, or a function is to be called. That one
//! is stored inline. A task is stored by its id alone: it costs no allocation, no clone of its waker,
//! and no lock when it's woken.

use std::cell::Cell;
use std::collections::{VecDeque, vec_deque};
use std::panic::Location;
use std::rc::Rc;
use std::task::Waker;

use crate::Future;
use crate::any_task::TaskId;
use crate::future::FutureBody;
use crate::handle::{Call, Handle, Inner};

/// Something to schedule when the future is done.
pub(crate) enum Callback<T: 'static> {
    /// A task of the future's own queue.
    Task(TaskId),
    /// Anything else that polls the future.
    Waker(Waker),
    /// A function, as `add_done_callback` takes it.
    Call(DoneCallback<T>),
}

/// Identifies a callback on the end of a future, for removing it. No two futures of a thread have the
/// same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallbackId(u32);

impl CallbackId {
    fn next() -> Self {
        thread_local! {
            static NEXT: Cell<u32> = const { Cell::new(0) };
        }
        let next = NEXT.get();
        NEXT.set(next.wrapping_add(1));
        CallbackId(next)
    }
}

/// The callbacks of one future, in the order in which they were added.
pub(crate) struct Callbacks<T: 'static> {
    /// The first one, if it isn't another thing's waker. Its id is in a field of its own, because each
    /// future has this list, and so it's eight bytes smaller.
    first: Option<First<T>>,
    first_id: CallbackId,
    others: Option<Box<Others<T>>>,
}

/// A callback that's stored inline.
enum First<T: 'static> {
    Task(TaskId),
    Call(DoneCallback<T>),
}

impl<T> First<T> {
    /// Returns what is no such callback.
    fn new(callback: Callback<T>) -> Result<Self, Callback<T>> {
        match callback {
            Callback::Task(task) => Ok(First::Task(task)),
            Callback::Call(callback) => Ok(First::Call(callback)),
            waker @ Callback::Waker(_) => Err(waker),
        }
    }
}

impl<T> From<First<T>> for Callback<T> {
    fn from(first: First<T>) -> Self {
        match first {
            First::Task(task) => Callback::Task(task),
            First::Call(callback) => Callback::Call(callback),
        }
    }
}

/// In a box, because few futures need it.
struct Others<T: 'static> {
    list: VecDeque<(CallbackId, Callback<T>)>,
}

impl<T> Callbacks<T> {
    /// Adds a callback behind the others.
    pub(crate) fn add(&mut self, callback: Callback<T>) -> CallbackId {
        let id = CallbackId::next();
        if self.first.is_some() || self.others.is_some() {
            self.others_mut().push_back((id, callback));
            return id;
        }
        match First::new(callback) {
            Ok(first) => (self.first, self.first_id) = (Some(first), id),
            Err(waker) => self.others_mut().push_back((id, waker)),
        }
        id
    }

    /// Puts another callback in the place of this one, and returns the one that isn't needed: the old
    /// one, or the other if there's no place. The caller drops it once no borrow is held.
    pub(crate) fn replace(&mut self, id: CallbackId, callback: Callback<T>) -> Option<Callback<T>> {
        if self.first_id == id
            && let Some(before) = self.first.take()
        {
            match First::new(callback) {
                Ok(first) => self.first = Some(first),
                Err(waker) => self.others_mut().push_front((id, waker)),
            }
            return Some(before.into());
        }
        let place = self.others_mut().iter_mut().find(|(other, _)| *other == id);
        Some(match place {
            Some((_, place)) => std::mem::replace(place, callback),
            None => callback,
        })
    }

    /// Removes and returns a callback. The caller drops it once no borrow is held.
    pub(crate) fn remove(&mut self, id: CallbackId) -> Option<Callback<T>> {
        if self.first_id == id
            && let Some(first) = self.first.take()
        {
            return Some(first.into());
        }
        let others = &mut self.others.as_mut()?.list;
        let index = others.iter().position(|(other, _)| *other == id)?;
        others.remove(index).map(|(_, callback)| callback)
    }

    /// Takes all callbacks out of the list, in their order.
    pub(crate) fn drain(self) -> impl Iterator<Item = Callback<T>> {
        let others = self.others.map(|others| others.list.into_iter());
        Drain { first: self.first, others }
    }

    fn others_mut(&mut self) -> &mut VecDeque<(CallbackId, Callback<T>)> {
        &mut self.others.get_or_insert_with(|| Box::new(Others { list: VecDeque::new() })).list
    }
}

/// The callbacks of a list, in their order. A chain of std's adapters would do the same, but has
/// more to check and to drop, and most lists hold just one.
struct Drain<T: 'static> {
    first: Option<First<T>>,
    others: Option<vec_deque::IntoIter<(CallbackId, Callback<T>)>>,
}

impl<T> Iterator for Drain<T> {
    type Item = Callback<T>;

    fn next(&mut self) -> Option<Callback<T>> {
        if let Some(first) = self.first.take() {
            return Some(first.into());
        }
        self.others.as_mut()?.next().map(|(_, callback)| callback)
    }
}

impl<T> Default for Callbacks<T> {
    fn default() -> Self {
        Callbacks { first: None, first_id: CallbackId(0), others: None }
    }
}

/// A callback on the end of a future. It becomes the handle that's queued when the future is done:
/// both are one allocation.
pub(crate) struct DoneCallback<T: 'static> {
    inner: Rc<Inner<dyn CallWith<T>>>,
}

/// A callback that needs a future before it can run.
trait CallWith<T: 'static>: Call {
    fn set_future(&self, future: Rc<dyn FutureBody<T>>);
}

struct Done<F, T: 'static> {
    callback: Cell<Option<F>>,
    /// Set when the future is done. A future that kept itself would never be dropped.
    future: Cell<Option<Rc<dyn FutureBody<T>>>>,
}

impl<T: 'static> DoneCallback<T> {
    #[track_caller]
    pub(crate) fn new(callback: impl FnOnce(&Future<T>) + 'static) -> Self {
        let callback = Done { callback: Cell::new(Some(callback)), future: Cell::new(None) };
        DoneCallback { inner: Rc::new(Inner::new(callback, Location::caller())) }
    }

    /// Returns the handle to queue, now that the future is done.
    pub(crate) fn into_handle(self, future: &Future<T>) -> Handle {
        self.inner.callback.set_future(Rc::clone(&future.shared));
        Handle { inner: self.inner }
    }
}

impl<F: FnOnce(&Future<T>), T: 'static> CallWith<T> for Done<F, T> {
    fn set_future(&self, future: Rc<dyn FutureBody<T>>) {
        self.future.set(Some(future));
    }
}

impl<F: FnOnce(&Future<T>), T: 'static> Call for Done<F, T> {
    fn run(&self, _cancelled: &Cell<bool>) {
        if let (Some(callback), Some(future)) = (self.callback.take(), self.future.take()) {
            callback(&Future::of(future));
        }
    }

    fn forget(&self) {
        drop(self.callback.take());
        drop(self.future.take());
    }
}
