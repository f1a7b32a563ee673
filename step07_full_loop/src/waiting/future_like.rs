//! What `wait` can wait for, and gives back as it was.

use step06_tasks::{Future, Task};

/// A future or a task; asyncio's `isfuture`. A coroutine is neither: nothing runs it yet.
pub trait FutureLike: Clone + 'static {
    /// The type of its result.
    type Output: 'static;
    /// Returns it as a future.
    fn as_future(&self) -> Future<Self::Output>;
}

impl<T: 'static> FutureLike for Future<T> {
    type Output = T;

    fn as_future(&self) -> Future<T> {
        self.clone()
    }
}

impl<T: 'static> FutureLike for Task<T> {
    type Output = T;

    fn as_future(&self) -> Future<T> {
        self.future()
    }
}
