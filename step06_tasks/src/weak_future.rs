//! A handle to a future that doesn't keep it: for a callback of one future that finishes another,
//! which might hold the first.

use std::fmt;
use std::rc::{Rc, Weak};

use crate::Future;
use crate::future_state::Shared;

/// A handle to a future that lives only as long as others hold it.
pub struct WeakFuture<T: 'static> {
    shared: Weak<dyn Shared<T>>,
}

impl<T: 'static> Future<T> {
    /// Returns a handle that doesn't keep the future.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// let future = queue.create_future::<()>();
    /// let weak = future.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(future);
    /// assert!(weak.upgrade().is_none());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn downgrade(&self) -> WeakFuture<T> {
        WeakFuture { shared: Rc::downgrade(&self.shared) }
    }
}

impl<T: 'static> WeakFuture<T> {
    /// Returns the future, if something else still holds it.
    pub fn upgrade(&self) -> Option<Future<T>> {
        self.shared.upgrade().map(Future::of)
    }
}

impl<T: 'static> fmt::Debug for WeakFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakFuture").field(&self.upgrade()).finish()
    }
}
