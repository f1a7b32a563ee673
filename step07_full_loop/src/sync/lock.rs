//! A lock: one task at a time; asyncio's `Lock`.

use std::cell::Cell;

use step06_tasks::Result;

use crate::SyncError;
use crate::sync::held::{Held, Release};
use crate::sync::loop_bound::LoopBound;
use crate::sync::waiters::{Place, Waiters};

/// A lock for tasks. It's held across awaits, and a task that has to wait for it lets all others run.
///
/// Tasks get it in the order in which they asked, and one that asks while others wait queues behind
/// them. Like asyncio's, it doesn't know its holder: any code can release it.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use step07_full_loop::{Lock, create_task, run, yield_now};
///
/// let (lock, count) = (Rc::new(Lock::new()), Rc::new(Cell::new(0)));
/// let total = Rc::clone(&count);
/// run(async move {
///     let mut tasks = Vec::new();
///     for _ in 0..10 {
///         let (lock, count) = (Rc::clone(&lock), Rc::clone(&count));
///         tasks.push(create_task(async move {
///             let _held = lock.hold().await?;
///             let before = count.get();
///             yield_now().await?;
///             count.set(before + 1);
///             Ok(())
///         })?);
///     }
///     for task in tasks {
///         task.await?;
///     }
///     Ok(())
/// })?;
/// assert_eq!(total.get(), 10);
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Default)]
pub struct Lock {
    locked: Cell<bool>,
    waiters: Waiters,
    bound: LoopBound,
}

impl Lock {
    /// Makes a lock that isn't locked.
    pub fn new() -> Self {
        Lock::default()
    }

    /// Returns true if it's locked.
    pub fn locked(&self) -> bool {
        self.locked.get()
    }

    /// Locks it until the guard is dropped; asyncio's `async with lock`.
    pub async fn hold(&self) -> Result<Held<'_>> {
        self.acquire().await?;
        Ok(Held::new(self))
    }

    // ANCHOR: acquire
    /// Locks it until [`release`](Lock::release) is called.
    ///
    /// If it isn't locked, and no task waits for it (none that isn't cancelled), that costs no tick and
    /// needs no loop. A task that's being cancelled locks it as well, and hears of that when it waits.
    /// Otherwise this task joins the end of the line, and locks it when it's woken. A wait that's
    /// cancelled or dropped doesn't lock it, and wakes the next task if the lock is free.
    ///
    /// Between the two calls, `?` can leave the block and forget the lock. [`hold`](Lock::hold)
    /// doesn't.
    pub async fn acquire(&self) -> Result<()> {
        // All that wait can be cancelled, and not have run since: then there's no need to queue.
        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
    }
    // ANCHOR_END: acquire

    /// Unlocks it, and wakes the first task that waits. Fails if it isn't locked.
    pub fn release(&self) -> Result<()> {
        if !self.locked.replace(false) {
            return Err(SyncError::LockNotAcquired.into());
        }
        self.waiters.wake_first();
        Ok(())
    }
}

impl Release for Lock {
    fn release(&self) -> Result<()> {
        self.release()
    }
}

// ANCHOR: turn
/// A task's wait for the lock.
struct Turn<'a> {
    lock: &'a Lock,
    place: Place<'a>,
}

impl Drop for Turn<'_> {
    /// Leaves the line. If the task was woken, but doesn't take the lock, the next one is woken. A
    /// task that was cancelled stood first for a while without being woken, so that holds for it too.
    fn drop(&mut self) {
        self.place.leave();
        if !self.lock.locked() {
            self.lock.waiters.wake_first();
        }
    }
}
// ANCHOR_END: turn
