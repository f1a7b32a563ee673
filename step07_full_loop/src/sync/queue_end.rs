//! How a queue ends: all items are done, or it's shut down.

use step06_tasks::Result;

use crate::sync::queue::QueueOf;
use crate::sync::queue_items::QueueItems;
use crate::{SyncError, get_running_loop};

impl<T, I: QueueItems<T>> QueueOf<T, I> {
    /// Notes that an item that was taken is done. Fails if there are more of these calls than items.
    pub fn task_done(&self) -> Result<()> {
        if self.unfinished.get() == 0 {
            return Err(SyncError::TaskDoneTooManyTimes.into());
        }
        self.one_is_done();
        Ok(())
    }

    fn one_is_done(&self) {
        self.unfinished.set(self.unfinished.get() - 1);
        if self.unfinished.get() == 0 {
            self.finished.set();
        }
    }

    /// Waits until all items that were put are done; see [`task_done`](QueueOf::task_done).
    pub async fn join(&self) -> Result<()> {
        if self.unfinished.get() > 0 {
            self.finished.wait().await?;
        }
        Ok(())
    }

    /// Shuts the queue down: from here on, nothing can be put, and once its items are taken, nothing
    /// can be got. All tasks that wait for an item or for room are woken, and fail. (CPython since
    /// 3.13)
    ///
    /// If it's `immediate`, the items are dropped, and count as done.
    ///
    /// ```
    /// use step07_full_loop::{Queue, SyncError};
    /// let queue = Queue::new(0);
    /// queue.put_nowait("the last one")?;
    /// queue.shutdown(false);
    /// assert_eq!(queue.get_nowait()?, "the last one");
    /// let refused = queue.get_nowait().map_err(|error| SyncError::of(&error));
    /// assert_eq!(refused, Err(Some(SyncError::QueueShutDown)));
    /// # Ok::<(), step07_full_loop::Error>(())
    /// ```
    pub fn shutdown(&self, immediate: bool) {
        self.is_shut_down.set(true);
        let items = if immediate { self.take_all() } else { I::default() };
        self.wake_all();
        discard_all(items);
    }

    /// Removes all items, which count as done.
    fn take_all(&self) -> I {
        let items = self.items.take();
        self.unfinished.set(self.unfinished.get().saturating_sub(items.count()));
        if self.unfinished.get() == 0 {
            self.finished.set();
        }
        items
    }
}

/// Drops items one by one, when nothing else is left to do: their destructors can use the queue, or
/// panic, which the loop reports.
fn discard_all<T>(mut items: impl QueueItems<T>) {
    let event_loop = get_running_loop();
    while let Some(item) = items.get() {
        match &event_loop {
            Ok(event_loop) => event_loop.core.queue.discard(item),
            Err(_) => drop(item),
        }
    }
}
