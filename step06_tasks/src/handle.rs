//! A callback in the queue, and the right to take it out again.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

/// A scheduled callback that can be cancelled; asyncio's `Handle`.
///
/// Cloning gives another name for the same callback.
#[derive(Clone)]
pub struct Handle {
    inner: Rc<Inner>,
}

struct Inner {
    callback: RefCell<Option<Box<dyn FnMut()>>>,
    cancelled: Cell<bool>,
    repeats: bool,
}

impl Handle {
    /// A callback that runs once, as `call_soon` wants it.
    pub fn once(callback: impl FnOnce() + 'static) -> Self {
        let mut callback = Some(callback);
        let run_once = move || {
            if let Some(callback) = callback.take() {
                callback();
            }
        };
        Handle::new(Box::new(run_once), false)
    }

    /// A callback that may run many times, as `add_reader` wants it.
    pub fn repeating(callback: impl FnMut() + 'static) -> Self {
        Handle::new(Box::new(callback), true)
    }

    fn new(callback: Box<dyn FnMut()>, repeats: bool) -> Self {
        let callback = RefCell::new(Some(callback));
        Handle { inner: Rc::new(Inner { callback, cancelled: Cell::new(false), repeats }) }
    }

    /// Marks the callback as not to be run, and lets go of all it holds. It keeps its place in the
    /// queue and is passed over there.
    pub fn cancel(&self) {
        self.inner.cancelled.set(true);
        drop(self.inner.callback.take());
    }

    /// Returns true if [`cancel`](Handle::cancel) was called.
    pub fn cancelled(&self) -> bool {
        self.inner.cancelled.get()
    }

    /// Runs the callback, unless it is cancelled. It is taken out of its cell meanwhile, so that
    /// it may cancel its own handle.
    pub(crate) fn run(&self) {
        let Some(mut callback) = self.inner.callback.take() else {
            return;
        };
        callback();
        if self.inner.repeats && !self.cancelled() {
            *self.inner.callback.borrow_mut() = Some(callback);
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("cancelled", &self.cancelled()).finish_non_exhaustive()
    }
}
