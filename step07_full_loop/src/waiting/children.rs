//! The children of a gathering: how they're cancelled together.

use std::cell::RefCell;

use step06_tasks::{CancelOverride, Error, Future};

/// The futures that are gathered, in the order of their arguments. The future that `gather` returns
/// owns them.
pub(crate) struct Children<T: 'static> {
    futures: Vec<Future<T>>,
    /// The last request to cancel that reached at least one of them.
    cancelled: RefCell<Option<Error>>,
}

impl<T: 'static> Children<T> {
    pub(crate) fn new(futures: Vec<Future<T>>) -> Self {
        Children { futures, cancelled: RefCell::default() }
    }

    pub(crate) fn futures(&self) -> &[Future<T>] {
        &self.futures
    }

    /// Returns the error of the request that reached them, if there was one.
    pub(crate) fn cancelled(&self) -> Option<Error> {
        self.cancelled.borrow().clone()
    }
}

/// asyncio's `_GatheringFuture.cancel`: it passes the request on, and ends when they have ended.
impl<T: 'static> CancelOverride for Children<T> {
    fn can_cancel(&self) -> bool {
        self.futures.iter().any(Future::can_be_cancelled)
    }

    fn cancel(&self, message: Option<&str>) {
        let mut is_any_cancelled = false;
        for child in &self.futures {
            is_any_cancelled |= match message {
                Some(message) => child.cancel_with(message),
                None => child.cancel(),
            };
        }
        if is_any_cancelled {
            self.cancelled.replace(Some(Error::Cancelled(message.map(Into::into))));
        }
    }
}
