//! A lock, which one task at a time can hold; asyncio's `Lock`. A condition, which notifies tasks
//! of a change to the data that a lock protects; asyncio's `Condition`.

use std::cell::Cell;
use std::rc::Rc;

use step06_tasks::{Error, Result};

use super::waiters::LoopBound;
use super::waiters::{Held, Release};
use super::waiters::{Place, Waiters};
use crate::SyncError;

/// A lock for tasks. A task can hold the lock across awaits, and a task that has to wait for the
/// lock lets all other tasks run.
///
/// Tasks get the lock in the order in which they asked, and a task that asks while others wait has
/// to wait behind them. As in asyncio, the lock has no owner: any code can release it.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use asyncio::{Lock, create_task, run, yield_now};
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
/// # Ok::<(), asyncio::LoopError>(())
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

    /// Returns true if the lock is held.
    pub fn locked(&self) -> bool {
        self.locked.get()
    }

    /// Acquires the lock and holds it until the guard is dropped; asyncio's `async with lock`.
    ///
    /// # Errors
    ///
    /// Fails as [`acquire`](Lock::acquire) does.
    pub async fn hold(&self) -> Result<Held<'_>> {
        self.acquire().await?;
        Ok(Held::new(self))
    }

    // ANCHOR: acquire
    /// Acquires the lock, which is then held until [`release`](Lock::release) is called. If the
    /// lock is held or other tasks wait for it, this task first waits at the end of the line.
    ///
    /// - Locking without a wait costs no tick and needs no loop (`locks_of_many_tasks`).
    /// - A task in the line that's been cancelled but hasn't run since doesn't count as waiting
    ///   (`locks_of_many_tasks`).
    /// - A task that's being cancelled can also take the lock, if it needn't wait: only a wait
    ///   tells a task of its cancellation (`locks_of_many_tasks`).
    /// - A task that has heard of its cancellation and cleans up can wait like any other
    ///   (`locks_of_many_tasks`).
    /// - A wait that's cancelled or dropped doesn't take the lock. If the lock is free at that
    ///   moment, the next task is woken (`who_gets_the_lock`), even if the task itself or a panic
    ///   drops the wait (`locks_of_many_tasks`).
    ///
    /// A `?` that returns between `acquire` and `release` leaves the lock locked.
    /// [`hold`](Lock::hold) returns a guard that releases the lock.
    ///
    /// # Errors
    ///
    /// A wait fails with `Cancelled` if the task is cancelled and with
    /// [`SyncError::BoundToAnotherLoop`] if the first wait was on another loop. A wait also fails
    /// if no loop runs in this thread.
    pub async fn acquire(&self) -> Result<()> {
        // If all waiting tasks have been cancelled but haven't run since, there's no need to queue.
        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = LockTurn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
    }
    // ANCHOR_END: acquire

    /// Unlocks the lock and wakes the first task in the line.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::LockNotAcquired`] if the lock isn't held.
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
struct LockTurn<'a> {
    lock: &'a Lock,
    place: Place<'a>,
}

impl Drop for LockTurn<'_> {
    /// Leaves the line and wakes the next task if the lock is free. The lock may be free because
    /// this task was woken but hasn't taken it, or because this task was first in line when the
    /// lock was released but had already been cancelled.
    fn drop(&mut self) {
        self.place.leave();
        if !self.lock.locked() {
            self.lock.waiters.wake_first();
        }
    }
}
// ANCHOR_END: turn

/// A lock and a line of tasks that wait until another task has changed the data that the lock
/// protects.
///
/// Waiting and notifying need the lock, so they're methods of the guard that
/// [`hold`](Condition::hold) returns. In asyncio they're methods of the condition itself, along
/// with `acquire` and `release`. But in Rust a wait can be dropped halfway, while it doesn't hold
/// the lock. In that case the guard mustn't release the lock, so the guard has to know about the
/// wait.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use asyncio::{Condition, create_task, run};
///
/// let seen = run(async {
///     let (condition, level) = (Rc::new(Condition::new()), Rc::new(Cell::new(0)));
///     let (changed, seen) = (Rc::clone(&condition), Rc::clone(&level));
///     let waiter = create_task(async move {
///         let mut held = changed.hold().await?;
///         held.wait_for(|| seen.get() >= 2).await?;
///         Ok(seen.get())
///     })?;
///     for _ in 0..3 {
///         let held = condition.hold().await?;
///         level.set(level.get() + 1);
///         held.notify_all()?;
///     }
///     waiter.await
/// })?;
/// assert_eq!(seen, 3);
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Default)]
pub struct Condition {
    lock: Rc<Lock>,
    waiters: Waiters,
    bound: LoopBound,
}

impl Condition {
    /// Makes a condition with a new lock.
    pub fn new() -> Self {
        Condition::default()
    }

    /// Makes a condition with a lock that other code can use, too.
    pub fn with_lock(lock: Rc<Lock>) -> Self {
        Condition { lock, ..Condition::default() }
    }

    /// Returns true if the condition's lock is held.
    pub fn locked(&self) -> bool {
        self.lock.locked()
    }

    /// Acquires the lock and holds it until the guard is dropped; asyncio's `async with condition`.
    ///
    /// # Errors
    ///
    /// Fails as [`Lock::acquire`] does.
    pub async fn hold(&self) -> Result<HeldCondition<'_>> {
        self.lock.acquire().await?;
        Ok(HeldCondition { condition: self, is_held: true })
    }

    /// Wakes at most `count` of the waiting tasks; asyncio's `_notify`. The caller needn't hold the
    /// lock.
    pub(crate) fn wake_up_to(&self, count: usize) {
        self.waiters.wake_up_to(count);
    }

    /// Wakes all waiting tasks. The caller needn't hold the lock.
    pub(crate) fn wake_all(&self) {
        self.waiters.wake_all();
    }
}

/// A guard that holds a condition's lock until the guard is dropped.
#[must_use = "the lock is released when this is dropped"]
#[derive(Debug)]
pub struct HeldCondition<'a> {
    condition: &'a Condition,
    /// False during a wait and after `release`.
    is_held: bool,
}

impl HeldCondition<'_> {
    /// Releases the lock, waits for a notification, and takes the lock again. Even a cancelled wait
    /// doesn't end before it holds the lock again.
    ///
    /// A wait can return although nothing has changed, since a cancelled task passes on a
    /// notification that it may never have received. So after each wait, check whether the change
    /// has happened, and wait again if it hasn't; [`wait_for`] does both. CPython has passed the
    /// notification on since 3.13. Earlier versions lost it.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled, with [`SyncError::WaitOnUnacquiredLock`] if
    /// other code has released the lock, so that it isn't held, and with
    /// [`SyncError::BoundToAnotherLoop`] if a task has waited for the condition or its lock on
    /// another loop. Also fails if no loop runs in this thread.
    ///
    /// [`wait_for`]: HeldCondition::wait_for
    pub async fn wait(&mut self) -> Result<()> {
        let condition = self.condition;
        if !condition.locked() {
            return Err(SyncError::WaitOnUnacquiredLock.into());
        }
        // If the lock belongs to another loop, this task can't take it again after the wait.
        condition.lock.bound.check()?;
        let place = condition.waiters.join(condition.bound.create_future()?);
        let notification = Notification { condition, is_used: false };
        self.release_lock()?;
        let woken = wait_and_leave(place).await;
        let cancelled_again = self.lock_again().await?;
        let outcome = cancelled_again.map_or(woken, Err);
        notification.use_if(outcome.is_ok());
        outcome
    }

    /// Waits until the predicate returns true. Calls the predicate at once and after each
    /// notification.
    ///
    /// # Errors
    ///
    /// Fails as [`wait`](HeldCondition::wait) does.
    pub async fn wait_for(&mut self, mut predicate: impl FnMut() -> bool) -> Result<()> {
        while !predicate() {
            self.wait().await?;
        }
        Ok(())
    }

    /// Wakes at most `count` of the waiting tasks. Once this guard has released the lock, the woken
    /// tasks continue one after the other. In asyncio, `count` is 1 by default.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::NotifyOnUnacquiredLock`] if other code has released the lock, so
    /// that it isn't held.
    pub fn notify(&self, count: usize) -> Result<()> {
        self.check_notifies()?;
        self.condition.wake_up_to(count);
        Ok(())
    }

    /// Wakes all waiting tasks; see [`notify`](HeldCondition::notify).
    ///
    /// # Errors
    ///
    /// Fails as [`notify`](HeldCondition::notify) does.
    pub fn notify_all(&self) -> Result<()> {
        self.check_notifies()?;
        self.condition.wake_all();
        Ok(())
    }

    /// Releases the lock now.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::LockNotAcquired`] if other code has already released the lock, so
    /// that it isn't held.
    pub fn release(mut self) -> Result<()> {
        self.release_lock()
    }

    fn check_notifies(&self) -> Result<()> {
        if self.condition.locked() {
            return Ok(());
        }
        Err(SyncError::NotifyOnUnacquiredLock.into())
    }

    fn release_lock(&mut self) -> Result<()> {
        self.is_held = false;
        self.condition.lock.release()
    }

    /// Takes the lock again, even if the task is cancelled while it waits for the lock. Returns the
    /// last cancellation, if any.
    async fn lock_again(&mut self) -> Result<Option<Error>> {
        let mut cancelled = None;
        while let Err(error) = self.condition.lock.acquire().await {
            if !error.is_cancelled() {
                return Err(error);
            }
            cancelled = Some(error);
        }
        self.is_held = true;
        Ok(cancelled)
    }
}

impl Drop for HeldCondition<'_> {
    fn drop(&mut self) {
        if self.is_held {
            // If other code has already released the lock, there's nothing left to do.
            let _ = self.release_lock();
        }
    }
}

/// Waits for a notification and leaves the line, so that the task isn't in the line when it asks
/// for the lock again.
async fn wait_and_leave(mut place: Place<'_>) -> Result<()> {
    place.wait().await
}

/// A notification that a task waits for. If the task doesn't use it, because the task is cancelled
/// or its wait is dropped, another task is notified instead, even if no notification has arrived
/// yet.
struct Notification<'a> {
    condition: &'a Condition,
    is_used: bool,
}

impl Notification<'_> {
    fn use_if(mut self, is_used: bool) {
        self.is_used = is_used;
    }
}

impl Drop for Notification<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            self.condition.wake_up_to(1);
        }
    }
}
