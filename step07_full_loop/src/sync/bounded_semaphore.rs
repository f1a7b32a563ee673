//! A semaphore that notices when it's released too often; asyncio's `BoundedSemaphore`.

use step06_tasks::Result;

use crate::sync::held::{Held, Release};
use crate::{Semaphore, SyncError};

/// A [`Semaphore`] whose value never exceeds the initial one. A release too many is nearly always a
/// mistake, and lets more tasks in than were meant to be.
///
/// ```
/// use step07_full_loop::{BoundedSemaphore, SyncError};
/// let refused = BoundedSemaphore::new(2).release().map_err(|error| SyncError::of(&error));
/// assert_eq!(refused, Err(Some(SyncError::ReleasedTooManyTimes)));
/// ```
#[derive(Debug)]
pub struct BoundedSemaphore {
    semaphore: Semaphore,
    bound: usize,
}

impl BoundedSemaphore {
    /// Makes a semaphore with this many permits, now and at most.
    pub fn new(value: usize) -> Self {
        BoundedSemaphore { semaphore: Semaphore::new(value), bound: value }
    }

    /// Returns true if a task would have to wait; see [`Semaphore::locked`].
    pub fn locked(&self) -> bool {
        self.semaphore.locked()
    }

    /// Takes a permit until the guard is dropped; see [`Semaphore::hold`].
    pub async fn hold(&self) -> Result<Held<'_>> {
        self.acquire().await?;
        Ok(Held::new(self))
    }

    /// Takes a permit; see [`Semaphore::acquire`].
    pub async fn acquire(&self) -> Result<()> {
        self.semaphore.acquire().await
    }

    /// Adds a permit, and gives it to the first task that waits. Fails if no permit is taken.
    pub fn release(&self) -> Result<()> {
        if self.semaphore.value() >= self.bound {
            return Err(SyncError::ReleasedTooManyTimes.into());
        }
        self.semaphore.release();
        Ok(())
    }
}

impl Release for BoundedSemaphore {
    fn release(&self) -> Result<()> {
        self.release()
    }
}
