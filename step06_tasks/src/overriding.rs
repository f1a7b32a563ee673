//! A future that decides for itself what cancelling it means. In asyncio, a subclass overrides
//! `Future.cancel`. For example, `gather` returns a future whose `cancel` cancels the awaited
//! children.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::any_task::Awaited;
use crate::future::{FutureBody, FutureState};
use crate::{Error, Future, ReadyQueue};

/// Decides what happens when a pending future, or a task that awaits it, is cancelled. Cancelling
/// doesn't finish such a future: it stays pending until its owner gives it an outcome.
pub trait CancelOverride {
    /// Returns true if something is left to cancel. If nothing is left, `cancel` on the future
    /// returns false, and a task that awaits the future gets its cancellation when the future is
    /// done.
    fn can_cancel(&self) -> bool;
    /// Cancels whatever is left to cancel, perhaps with a message.
    fn cancel(&self, message: Option<&str>);
}

/// Lets a future share its override with other code.
impl<C: CancelOverride> CancelOverride for Rc<C> {
    fn can_cancel(&self) -> bool {
        (**self).can_cancel()
    }

    fn cancel(&self, message: Option<&str>) {
        (**self).cancel(message);
    }
}

impl ReadyQueue {
    /// Makes a pending future that overrides the effect of cancelling it.
    ///
    /// ```
    /// use step06_tasks::{CancelOverride, ReadyQueue};
    ///
    /// struct Stubborn;
    /// impl CancelOverride for Stubborn {
    ///     fn can_cancel(&self) -> bool {
    ///         true
    ///     }
    ///     fn cancel(&self, message: Option<&str>) {
    ///         println!("no, thanks: {message:?}");
    ///     }
    /// }
    ///
    /// let queue = ReadyQueue::new()?;
    /// let future = queue.create_future_with::<()>(Stubborn);
    /// assert!(future.cancel());
    /// assert!(!future.done());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn create_future_with<T: 'static>(
        &self,
        on_cancel: impl CancelOverride + 'static,
    ) -> Future<T> {
        let (state, is_cancelling) = (FutureState::new(self.clone()), Cell::new(false));
        Future::of(Rc::new(Overriding { state, on_cancel, is_cancelling }))
    }
}

impl<T: 'static> Future<T> {
    /// Returns true if [`cancel`](Future::cancel) would return true: the future is pending, and its
    /// override, if any, has something left to cancel and isn't passing a request on.
    pub fn can_be_cancelled(&self) -> bool {
        self.shared.can_be_cancelled()
    }
}

struct Overriding<T: 'static, C> {
    state: FutureState<T>,
    on_cancel: C,
    /// True while `on_cancel` passes a request on. A request that reaches this future meanwhile has
    /// gone full circle and isn't passed on again.
    is_cancelling: Cell<bool>,
}

impl<T: 'static, C: CancelOverride> FutureBody<T> for Overriding<T, C> {
    fn state(&self) -> &FutureState<T> {
        &self.state
    }
}

impl<T: 'static, C: CancelOverride> Awaited for Overriding<T, C> {
    fn done(&self) -> bool {
        self.state.done()
    }

    fn cancellation(&self) -> Option<Error> {
        self.state.cancellation()
    }

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        let can_cancel = self.can_be_cancelled();
        if can_cancel {
            let _is_cancelling = IsCancelling::set(&self.is_cancelling);
            self.on_cancel.cancel(message.as_deref());
        }
        can_cancel
    }

    fn can_be_cancelled(&self) -> bool {
        !self.done() && !self.is_cancelling.get() && self.on_cancel.can_cancel()
    }

    fn is_about_to_end(&self) -> bool {
        !self.done() && !self.is_cancelling.get() && !self.on_cancel.can_cancel()
    }
}

/// A guard: until it's dropped, perhaps by a panic, the future is marked as passing a request on.
struct IsCancelling<'a>(&'a Cell<bool>);

impl<'a> IsCancelling<'a> {
    fn set(is_cancelling: &'a Cell<bool>) -> Self {
        is_cancelling.set(true);
        IsCancelling(is_cancelling)
    }
}

impl Drop for IsCancelling<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
