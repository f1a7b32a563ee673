//! What locks and queues refuse, in asyncio's words.

use std::fmt;

use step06_tasks::Error;

/// The reason why a lock, a queue or a barrier didn't do what it was asked to do.
///
/// asyncio has a class for each of these, and raises `RuntimeError` or `ValueError` for a misuse. Here
/// an operation fails with [`Error::Other`], and [`SyncError::of`] tells which one it is.
///
/// ```
/// use step07_full_loop::{Queue, SyncError};
/// let queue: Queue<u32> = Queue::new(1);
/// let refused = queue.get_nowait().map_err(|error| SyncError::of(&error));
/// assert_eq!(refused, Err(Some(SyncError::QueueEmpty)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncError {
    /// A lock was released that wasn't locked.
    LockNotAcquired,
    /// The lock of a condition was released by other code, and then the condition was waited for.
    WaitOnUnacquiredLock,
    /// The lock of a condition was released by other code, and then the condition was notified.
    NotifyOnUnacquiredLock,
    /// A bounded semaphore was released above its initial value.
    ReleasedTooManyTimes,
    /// [`get_nowait`](crate::QueueOf::get_nowait) was called on an empty queue.
    QueueEmpty,
    /// [`put_nowait`](crate::QueueOf::put_nowait) was called on a full queue.
    QueueFull,
    /// The queue was shut down.
    QueueShutDown,
    /// [`task_done`](crate::QueueOf::task_done) was called more often than items were put.
    TaskDoneTooManyTimes,
    /// The barrier was aborted or reset; asyncio's `BrokenBarrierError`.
    BrokenBarrier(&'static str),
    /// Tasks of another loop have waited here before.
    BoundToAnotherLoop,
}

impl SyncError {
    /// Returns the reason why a lock, a queue or a barrier has failed, if that's what the error is.
    pub fn of(error: &Error) -> Option<SyncError> {
        match error {
            Error::Other(error) => error.downcast_ref().copied(),
            _ => None,
        }
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SyncError::LockNotAcquired => "Lock is not acquired.",
            SyncError::WaitOnUnacquiredLock => "cannot wait on un-acquired lock",
            SyncError::NotifyOnUnacquiredLock => "cannot notify on un-acquired lock",
            SyncError::ReleasedTooManyTimes => "BoundedSemaphore released too many times",
            SyncError::QueueEmpty => "the queue is empty",
            SyncError::QueueFull => "the queue is full",
            SyncError::QueueShutDown => "the queue was shut down",
            SyncError::TaskDoneTooManyTimes => "task_done() called too many times",
            SyncError::BrokenBarrier(why) => why,
            SyncError::BoundToAnotherLoop => "bound to a different event loop",
        })
    }
}

impl std::error::Error for SyncError {}

/// Lets `?` carry it out of a coroutine.
impl From<SyncError> for Error {
    fn from(error: SyncError) -> Self {
        Error::other(error)
    }
}
