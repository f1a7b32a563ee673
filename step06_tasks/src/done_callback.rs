//! A callback on the end of a future. It becomes the handle that's queued when the future is done:
//! both are one allocation.

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;

use crate::Future;
use crate::future_state::Shared;
use crate::handle::{Callback, Handle, Inner};

pub(crate) struct DoneCallback<T: 'static> {
    inner: Rc<Inner<dyn CallWith<T>>>,
}

/// A callback that needs a future before it can run.
trait CallWith<T: 'static>: Callback {
    fn set_future(&self, future: Rc<dyn Shared<T>>);
}

struct Done<F, T: 'static> {
    callback: Cell<Option<F>>,
    /// Set when the future is done. A future that kept itself would never be dropped.
    future: Cell<Option<Rc<dyn Shared<T>>>>,
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
    fn set_future(&self, future: Rc<dyn Shared<T>>) {
        self.future.set(Some(future));
    }
}

impl<F: FnOnce(&Future<T>), T: 'static> Callback for Done<F, T> {
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
