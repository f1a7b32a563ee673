//! Objects of several types under one name, as Python has them anyway.

use asyncio::{BoundedSemaphore, Held, QueueItems, QueueOf, Result, Semaphore};

pub(crate) enum AnySemaphore {
    Plain(Semaphore),
    Bounded(BoundedSemaphore),
}

impl AnySemaphore {
    pub(crate) fn all() -> [AnySemaphore; 4] {
        [
            AnySemaphore::Plain(Semaphore::new(1)),
            AnySemaphore::Plain(Semaphore::new(2)),
            AnySemaphore::Bounded(BoundedSemaphore::new(1)),
            AnySemaphore::Bounded(BoundedSemaphore::new(2)),
        ]
    }

    pub(crate) fn locked(&self) -> bool {
        match self {
            AnySemaphore::Plain(semaphore) => semaphore.locked(),
            AnySemaphore::Bounded(semaphore) => semaphore.locked(),
        }
    }

    pub(crate) async fn acquire(&self) -> Result<()> {
        match self {
            AnySemaphore::Plain(semaphore) => semaphore.acquire().await,
            AnySemaphore::Bounded(semaphore) => semaphore.acquire().await,
        }
    }

    pub(crate) async fn hold(&self) -> Result<Held<'_>> {
        match self {
            AnySemaphore::Plain(semaphore) => semaphore.hold().await,
            AnySemaphore::Bounded(semaphore) => semaphore.hold().await,
        }
    }

    pub(crate) fn release(&self) -> Result<()> {
        match self {
            AnySemaphore::Plain(semaphore) => semaphore.release(),
            AnySemaphore::Bounded(semaphore) => return semaphore.release(),
        }
        Ok(())
    }
}

/// The operations of a queue that need no await, whatever its order.
pub(crate) trait AnyQueue {
    fn put_nowait(&self, item: usize) -> Result<()>;
    fn get_nowait(&self) -> Result<usize>;
    fn task_done(&self) -> Result<()>;
    fn shutdown(&self, immediate: bool);
}

impl<I: QueueItems<usize>> AnyQueue for QueueOf<usize, I> {
    fn put_nowait(&self, item: usize) -> Result<()> {
        self.put_nowait(item)
    }

    fn get_nowait(&self) -> Result<usize> {
        self.get_nowait()
    }

    fn task_done(&self) -> Result<()> {
        self.task_done()
    }

    fn shutdown(&self, immediate: bool) {
        self.shutdown(immediate);
    }
}
