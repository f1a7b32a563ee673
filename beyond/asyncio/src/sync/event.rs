//! An event, a flag that tasks wait for; asyncio's `Event`. A barrier, at which all tasks arrive
//! before any of them continues; asyncio's `Barrier`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::num::NonZero;

use step06_tasks::Result;

use super::lock::{Condition, HeldCondition};
use super::waiters::LoopBound;
use super::waiters::SyncError;
use super::waiters::Waiters;

/// A flag that tasks can wait for.
///
/// Setting the flag wakes all tasks that are waiting at that moment, even if the flag is cleared
/// before they run.
///
/// ```
/// use std::rc::Rc;
/// use asyncio::{Event, create_task, run};
///
/// let greeting = run(async {
///     let ready = Rc::new(Event::new());
///     let waited_for = Rc::clone(&ready);
///     let waiter = create_task(async move {
///         waited_for.wait().await?;
///         Ok("good morning")
///     })?;
///     ready.set();
///     waiter.await
/// })?;
/// assert_eq!(greeting, "good morning");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Default)]
pub struct Event {
    is_set: Cell<bool>,
    waiters: Waiters,
    bound: LoopBound,
}

impl Event {
    /// Makes an event that isn't set.
    pub fn new() -> Self {
        Event::default()
    }

    /// Returns true if the event is set.
    pub fn is_set(&self) -> bool {
        self.is_set.get()
    }

    /// Sets the event and wakes all waiting tasks.
    pub fn set(&self) {
        if !self.is_set.replace(true) {
            self.waiters.wake_all();
        }
    }

    /// Clears the event: from now on, tasks wait again.
    pub fn clear(&self) {
        self.is_set.set(false);
    }

    /// Waits until the event is set. If the event is already set, the wait costs no tick.
    ///
    /// # Errors
    ///
    /// A wait fails with `Cancelled` if the task is cancelled and with
    /// [`SyncError::BoundToAnotherLoop`] if the first wait was on another loop. A wait also fails
    /// if no loop runs in this thread.
    pub async fn wait(&self) -> Result<()> {
        if self.is_set() {
            return Ok(());
        }
        self.waiters.join(self.bound.create_future()?).wait().await
    }
}

/// A place where a number of tasks meet: each task waits until all of them have arrived.
///
/// Then the tasks leave, one after the other, and the barrier is ready for the next meeting. Like
/// asyncio's barrier, it's built on a [`Condition`].
///
/// ```
/// use std::num::NonZero;
/// use std::rc::Rc;
/// use asyncio::{Barrier, create_task, run};
///
/// let indices = run(async {
///     let barrier = Rc::new(Barrier::new(const { NonZero::new(2).unwrap() }));
///     let inner = Rc::clone(&barrier);
///     let other = create_task(async move { inner.wait().await })?;
///     let mine = barrier.wait().await?;
///     Ok((mine, other.await?))
/// })?;
/// assert_eq!(indices, (0, 1));
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug)]
pub struct Barrier {
    condition: Condition,
    parties: usize,
    state: Cell<BarrierState>,
    /// The tickets of the tasks inside the barrier, in the order in which the tasks arrived.
    inside: RefCell<BTreeSet<u64>>,
    next_ticket: Cell<u64>,
    /// The tickets of the last complete meeting, in ascending order.
    meeting: RefCell<Vec<u64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BarrierState {
    /// Tasks are arriving.
    Filling,
    /// All tasks have arrived and are leaving one after the other.
    Draining,
    /// The tasks inside are leaving because of a reset.
    Resetting,
    Broken,
}

impl Barrier {
    /// Makes a barrier for this many tasks. asyncio refuses 0 with `ValueError`.
    pub fn new(parties: NonZero<usize>) -> Self {
        Barrier {
            condition: Condition::new(),
            parties: parties.get(),
            state: Cell::new(BarrierState::Filling),
            inside: RefCell::default(),
            next_ticket: Cell::new(0),
            meeting: RefCell::default(),
        }
    }

    /// Waits until all parties have arrived and returns this party's index among them: 0 for the
    /// first party to arrive, 1 for the next, and so on.
    ///
    /// While the tasks of the previous meeting are still leaving, the call waits outside the
    /// barrier. A task that's cancelled before all parties have arrived no longer counts as a
    /// party, and the tasks that arrived after it move up. In CPython they don't move up, so two
    /// tasks of a meeting can have the same index.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::BrokenBarrier`] if the barrier is aborted, or if it's reset while
    /// this task is inside. Also fails as [`Event::wait`] does.
    pub async fn wait(&self) -> Result<usize> {
        let mut held = self.condition.hold().await?;
        self.wait_outside(&mut held).await?;
        let inside = self.enter();
        if self.count() == self.parties {
            self.meeting.replace(self.inside.borrow().iter().copied().collect());
            self.state.set(BarrierState::Draining);
            held.notify_all()?;
        } else {
            self.wait_inside(&mut held).await?;
        }
        Ok(inside.index())
    }

    fn enter(&self) -> Inside<'_> {
        let ticket = self.next_ticket.get();
        self.next_ticket.set(ticket + 1);
        self.inside.borrow_mut().insert(ticket);
        Inside { barrier: self, ticket }
    }

    fn count(&self) -> usize {
        self.inside.borrow().len()
    }

    async fn wait_outside(&self, held: &mut HeldCondition<'_>) -> Result<()> {
        held.wait_for(|| {
            !matches!(self.state.get(), BarrierState::Draining | BarrierState::Resetting)
        })
        .await?;
        if self.broken() {
            return Err(SyncError::BrokenBarrier("Barrier aborted").into());
        }
        Ok(())
    }

    async fn wait_inside(&self, held: &mut HeldCondition<'_>) -> Result<()> {
        held.wait_for(|| self.state.get() != BarrierState::Filling).await?;
        if matches!(self.state.get(), BarrierState::Broken | BarrierState::Resetting) {
            return Err(SyncError::BrokenBarrier("Abort or reset of barrier").into());
        }
        Ok(())
    }

    /// Resets the barrier for a new meeting. The tasks that are inside fail.
    ///
    /// # Errors
    ///
    /// Fails as [`Condition::hold`] does.
    pub async fn reset(&self) -> Result<()> {
        let held = self.condition.hold().await?;
        let is_empty = self.count() == 0;
        self.state.set(if is_empty { BarrierState::Filling } else { BarrierState::Resetting });
        held.notify_all()
    }

    /// Breaks the barrier. A program does so if a meeting can no longer take place. The tasks that
    /// are inside fail, and so do later tasks, until the barrier is [`reset`](Barrier::reset).
    ///
    /// # Errors
    ///
    /// Fails as [`Condition::hold`] does.
    pub async fn abort(&self) -> Result<()> {
        let held = self.condition.hold().await?;
        self.state.set(BarrierState::Broken);
        held.notify_all()
    }

    /// Returns the number of tasks that have to meet at the barrier.
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// Returns the number of tasks that have arrived and are waiting for the other tasks.
    pub fn n_waiting(&self) -> usize {
        if self.state.get() == BarrierState::Filling { self.count() } else { 0 }
    }

    /// Returns true if the barrier was aborted and hasn't been reset since.
    pub fn broken(&self) -> bool {
        self.state.get() == BarrierState::Broken
    }
}

/// A task that's inside the barrier. The task leaves when this value is dropped.
struct Inside<'a> {
    barrier: &'a Barrier,
    ticket: u64,
}

impl Inside<'_> {
    /// Returns the task's position in its meeting, which doesn't depend on the order in which the
    /// tasks leave.
    fn index(&self) -> usize {
        self.barrier.meeting.borrow().partition_point(|ticket| *ticket < self.ticket)
    }
}

impl Drop for Inside<'_> {
    /// Leaves the barrier. The last task to leave lets in the tasks that wait outside.
    fn drop(&mut self) {
        let barrier = self.barrier;
        barrier.inside.borrow_mut().remove(&self.ticket);
        if barrier.count() > 0 {
            return;
        }
        if matches!(barrier.state.get(), BarrierState::Draining | BarrierState::Resetting) {
            barrier.state.set(BarrierState::Filling);
        }
        barrier.condition.wake_all();
    }
}
