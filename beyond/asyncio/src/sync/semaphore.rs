//! A semaphore, which lets in a limited number of tasks at once; asyncio's `Semaphore`. A bounded
//! semaphore, which also refuses one release too many; asyncio's `BoundedSemaphore`.

use std::cell::Cell;

use step06_tasks::Result;

use super::waiters::LoopBound;
use super::waiters::{Held, Release};
use super::waiters::{Place, Waiters};
use crate::SyncError;

/// A count of free permits, which tasks share. A task takes a permit or waits until one is free.
///
/// Tasks get permits in the order in which they asked. A released permit goes at once to the first
/// task in line, so a task that comes later can't snatch it.
///
/// ```
/// use asyncio::{Semaphore, run};
/// run(async {
///     let semaphore = Semaphore::new(2);
///     let _first = semaphore.hold().await?;
///     let _second = semaphore.hold().await?;
///     assert!(semaphore.locked());
///     Ok(())
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug)]
pub struct Semaphore {
    /// The number of free permits, which no task holds or has been woken for.
    value: Cell<usize>,
    waiters: Waiters,
    bound: LoopBound,
}

impl Semaphore {
    /// Makes a semaphore with this many permits. In asyncio, the default is one permit, and a
    /// negative number is refused.
    pub fn new(value: usize) -> Self {
        let (waiters, bound) = (Waiters::default(), LoopBound::default());
        Semaphore { value: Cell::new(value), waiters, bound }
    }

    fn value(&self) -> usize {
        self.value.get()
    }

    /// Returns true if a task would have to wait for a permit: no permit is free, or other tasks
    /// are already waiting.
    pub fn locked(&self) -> bool {
        self.value() == 0 || self.waiters.any_live()
    }

    /// Takes a permit and holds it until the guard is dropped; asyncio's `async with semaphore`.
    ///
    /// # Errors
    ///
    /// Fails as [`acquire`](Semaphore::acquire) does.
    pub async fn hold(&self) -> Result<Held<'_>> {
        self.acquire().await?;
        Ok(Held::new(self))
    }

    /// Takes a permit, which only [`release`](Semaphore::release) gives back. If the call doesn't
    /// have to wait, it costs no tick. A wait that's cancelled or dropped takes no permit.
    ///
    /// # Errors
    ///
    /// A wait fails with `Cancelled` if the task is cancelled and with
    /// [`SyncError::BoundToAnotherLoop`] if the first wait was on another loop. A wait also fails
    /// if no loop runs in this thread.
    pub async fn acquire(&self) -> Result<()> {
        if !self.locked() {
            self.value.set(self.value() - 1);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = PermitTurn { semaphore: self, place, has_its_permit: false };
        turn.place.wait().await?;
        turn.has_its_permit = true;
        Ok(())
    }

    /// Adds a permit and gives it to the first waiting task, if any. If `usize::MAX` permits are
    /// free, which is more than any program can use, the call adds no permit.
    pub fn release(&self) {
        self.add_permit();
        self.give_to_next();
    }

    fn add_permit(&self) {
        self.value.set(self.value().saturating_add(1));
    }

    // ANCHOR: give_to_next
    /// Gives a free permit to the first task that's still waiting. Returns false if no task is
    /// waiting. The caller makes sure that a permit is free.
    fn give_to_next(&self) -> bool {
        // Take the permit first: the woken task's waker can run any code and use the semaphore.
        self.value.set(self.value() - 1);
        let is_given = self.waiters.wake_next();
        if !is_given {
            self.add_permit();
        }
        is_given
    }
    // ANCHOR_END: give_to_next
}

impl Release for Semaphore {
    fn release(&self) -> Result<()> {
        self.release();
        Ok(())
    }
}

// ANCHOR: turn
/// A task's wait for a permit.
struct PermitTurn<'a> {
    semaphore: &'a Semaphore,
    place: Place<'a>,
    /// True once the task has been woken and runs, because the task then owns a permit.
    has_its_permit: bool,
}

impl PermitTurn<'_> {
    // ANCHOR: pass_on
    /// Leaves the line and makes sure that no permit stays free while a task waits for one. The
    /// destructor calls this method when the wait is over: the task continues with its permit, the
    /// task is cancelled, or the wait is dropped, which can happen at any moment, even in a panic.
    ///
    /// - A permit that this task was given and won't take becomes free again
    ///   (`a_permit_for_a_cancelled_task`).
    /// - More permits can be free while tasks wait, because those tasks had to queue behind this
    ///   one. Each of those tasks now gets a permit, as long as permits are free, even if this task
    ///   keeps the permit that it was given (`permits_are_passed_on`).
    /// - Giving away a permit runs a waker, which can run any code: that code may take a permit,
    ///   begin a wait or end a wait. By then, this task has left the line
    ///   (`permits_and_other_wakers`).
    fn pass_on(&mut self) {
        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.value() > 0 && semaphore.give_to_next() {}
    }
    // ANCHOR_END: pass_on
}

impl Drop for PermitTurn<'_> {
    fn drop(&mut self) {
        self.pass_on();
    }
}
// ANCHOR_END: turn

/// A [`Semaphore`] that never has more permits than at its start: one release too many fails
/// instead of letting in too many tasks.
///
/// ```
/// use asyncio::{BoundedSemaphore, SyncError};
/// let refused = BoundedSemaphore::new(2).release().map_err(|error| SyncError::of(&error));
/// assert_eq!(refused, Err(Some(SyncError::ReleasedTooManyTimes)));
/// ```
#[derive(Debug)]
pub struct BoundedSemaphore {
    semaphore: Semaphore,
    bound: usize,
}

impl BoundedSemaphore {
    /// Makes a semaphore with this many permits, which is also its maximum.
    pub fn new(value: usize) -> Self {
        BoundedSemaphore { semaphore: Semaphore::new(value), bound: value }
    }

    /// Returns true if a task would have to wait; see [`Semaphore::locked`].
    pub fn locked(&self) -> bool {
        self.semaphore.locked()
    }

    /// Takes a permit and holds it until the guard is dropped; see [`Semaphore::hold`].
    ///
    /// # Errors
    ///
    /// Fails as [`Semaphore::acquire`] does.
    pub async fn hold(&self) -> Result<Held<'_>> {
        self.acquire().await?;
        Ok(Held::new(self))
    }

    /// Takes a permit; see [`Semaphore::acquire`].
    ///
    /// # Errors
    ///
    /// Fails as [`Semaphore::acquire`] does.
    pub async fn acquire(&self) -> Result<()> {
        self.semaphore.acquire().await
    }

    /// Adds a permit and gives it to the first waiting task, if any.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::ReleasedTooManyTimes`] if no permit is taken.
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
