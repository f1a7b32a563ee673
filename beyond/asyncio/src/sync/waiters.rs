//! The common parts of locks, events, semaphores and queues.
//!
//! The line in which tasks wait, asyncio's `_waiters`: each task waits for its own future and is
//! woken by the future's result. So a task that waits in the line is cancelled like any other task.
//! A task that was woken or cancelled stays in the line until it runs and leaves the line itself.
//! Until then, its place shows whether it was woken or cancelled. No cell is borrowed while a task
//! is woken, because its waker can run any code.
//!
//! The loop: a lock is made without a loop and belongs to the loop in which a task first has to
//! wait for the lock, as in asyncio's `mixins.py`.
//!
//! The guard: Python's `async with lock:` releases the lock at the end of the block, whichever way
//! the block is left. In Rust, the end of a block drops the block's values, so a guard releases the
//! lock in its destructor.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use step06_tasks::{Error, Future, Result};

use crate::{LoopId, get_running_loop};

#[derive(Debug, Default)]
pub(crate) struct Waiters {
    line: RefCell<Line>,
    next_ticket: Cell<u64>,
    /// All tasks in the line with a lower ticket were woken or cancelled, so a search can begin at
    /// this ticket.
    settled: Cell<u64>,
    /// All tasks in the line with a lower ticket were cancelled.
    cancelled: Cell<u64>,
}

impl Waiters {
    // ANCHOR: join
    /// Joins the line at its end. `woken` is pending until the task's turn comes.
    pub(crate) fn join(&self, woken: Future<()>) -> Place<'_> {
        let ticket = self.next_ticket.get();
        self.next_ticket.set(ticket + 1);
        let waiter = Waiter { ticket, woken: Some(woken.clone()) };
        self.line.borrow_mut().waiters.push_back(waiter);
        Place { waiters: self, ticket: Some(ticket), woken }
    }
    // ANCHOR_END: join

    /// Returns the number of tasks in the line: those that wait, and those that were woken or
    /// cancelled but haven't run since.
    pub(crate) fn len(&self) -> usize {
        let line = self.line.borrow();
        line.waiters.len() - line.gaps
    }

    // ANCHOR: any_live
    /// Returns true if any task in the line hasn't been cancelled. A task that was woken but hasn't
    /// run since counts, too.
    pub(crate) fn any_live(&self) -> bool {
        let line = self.line.borrow();
        let Some(first) = line.first() else { return false };
        if !first.cancelled() {
            return true;
        }
        let next = line.find_from(self.cancelled.get(), |woken| !woken.cancelled());
        self.cancelled.set(next.map_or(self.next_ticket.get(), |(ticket, _)| ticket));
        next.is_some()
    }
    // ANCHOR_END: any_live

    /// Wakes the first task in the line, unless it was already woken or cancelled.
    pub(crate) fn wake_first(&self) {
        let first = self.line.borrow().first().cloned();
        if let Some(first) = first {
            wake(&first);
        }
    }

    // ANCHOR: wake_next
    /// Wakes the first task that's still waiting. Returns false if no task is waiting.
    pub(crate) fn wake_next(&self) -> bool {
        let next = self.first_pending();
        next.is_some_and(|next| wake(&next))
    }
    // ANCHOR_END: wake_next

    /// Wakes `count` of the tasks that are still waiting, or all of them if there are fewer.
    pub(crate) fn wake_up_to(&self, count: usize) {
        for _ in 0..count {
            if !self.wake_next() {
                return;
            }
        }
    }

    /// Wakes all tasks that are still waiting.
    pub(crate) fn wake_all(&self) {
        self.wake_up_to(self.len());
    }

    fn first_pending(&self) -> Option<Future<()>> {
        let line = self.line.borrow();
        let first = line.first()?;
        if !first.done() {
            return Some(first.clone());
        }
        let next = line.find_from(self.settled.get(), |woken| !woken.done());
        self.settled.set(next.map_or(self.next_ticket.get(), |(ticket, _)| ticket));
        next.map(|(_, woken)| woken.clone())
    }
}

/// The tasks in the order in which they arrived, which is also the order of their tickets.
#[derive(Debug, Default)]
struct Line {
    waiters: VecDeque<Waiter>,
    /// The number of gaps, the places whose tasks have left. Neither the first nor the last place
    /// is a gap.
    gaps: usize,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    /// `None` once the task has left. The gap stays for now, since closing it would move all the
    /// tasks behind it.
    woken: Option<Future<()>>,
}

impl Line {
    fn first(&self) -> Option<&Future<()>> {
        self.waiters.front()?.woken.as_ref()
    }

    /// Returns the first task, from this ticket on, for which the predicate is true.
    fn find_from(
        &self,
        ticket: u64,
        is_it: impl Fn(&Future<()>) -> bool,
    ) -> Option<(u64, &Future<()>)> {
        let start = self.waiters.partition_point(|waiter| waiter.ticket < ticket);
        let mut present = self.waiters.range(start..).filter_map(|waiter| {
            let woken = waiter.woken.as_ref()?;
            Some((waiter.ticket, woken))
        });
        present.find(|(_, woken)| is_it(woken))
    }

    /// Removes a task. Runs none of the program's code: the task's `Place` still holds the future,
    /// so the future isn't dropped here.
    fn remove(&mut self, ticket: u64) {
        if self.waiters.front().is_some_and(|first| first.ticket == ticket) {
            self.waiters.pop_front();
        } else if let Ok(index) = self.waiters.binary_search_by_key(&ticket, |it| it.ticket) {
            self.waiters[index].woken = None;
            self.gaps += 1;
        }
        while self.gaps > 0 && self.waiters.front().is_some_and(Waiter::has_left) {
            self.waiters.pop_front();
            self.gaps -= 1;
        }
        while self.gaps > 0 && self.waiters.back().is_some_and(Waiter::has_left) {
            self.waiters.pop_back();
            self.gaps -= 1;
        }
        // Behind a task that waits for a long time, many tasks can come and go.
        if self.gaps > self.waiters.len() / 2 {
            self.waiters.retain(|waiter| !waiter.has_left());
            self.gaps = 0;
        }
    }
}

impl Waiter {
    fn has_left(&self) -> bool {
        self.woken.is_none()
    }
}

/// Wakes a task. Returns false if its future is already done.
fn wake(waiter: &Future<()>) -> bool {
    waiter.set_result(()).is_ok()
}

/// A task's place in the line. Dropping the place takes the task out of the line.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    waiters: &'a Waiters,
    /// `None` once the task has left the line.
    ticket: Option<u64>,
    woken: Future<()>,
}

impl<'a> Place<'a> {
    // ANCHOR: wait
    /// Waits for the task's turn, or fails with `Cancelled`.
    pub(crate) async fn wait(&mut self) -> Result<()> {
        (&mut self.woken).await
    }
    // ANCHOR_END: wait

    // ANCHOR: wait_or
    /// Waits for the task's turn. If the task is cancelled or the wait is dropped, leaves the line
    /// and then calls `given_up`, with true if the task had already been woken. The effect is that
    /// of Python's `except:` around the wait, but `given_up` is also called for a dropped wait.
    pub(crate) fn wait_or<F: FnOnce(bool) + Unpin>(self, given_up: F) -> Wait<'a, F> {
        Wait { place: self, given_up: Some(given_up) }
    }
    // ANCHOR_END: wait_or

    // ANCHOR: end_of_wait
    /// Returns true if the task was woken, whatever has happened to it since.
    pub(crate) fn was_woken(&self) -> bool {
        self.woken.done() && !self.woken.cancelled()
    }

    /// Leaves the line now.
    pub(crate) fn leave(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.waiters.line.borrow_mut().remove(ticket);
        }
    }
    // ANCHOR_END: end_of_wait
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The wait that [`Place::wait_or`] returns. An `async fn` around a guard would do the same, but a
/// queue of one item would take 3 % more time per item.
#[must_use = "nothing waits until this is awaited"]
pub(crate) struct Wait<'a, F: FnOnce(bool)> {
    place: Place<'a>,
    /// `None` once the task has been woken and continues.
    given_up: Option<F>,
}

impl<F: FnOnce(bool) + Unpin> std::future::Future for Wait<'_, F> {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let ended = ready!(Pin::new(&mut self.place.woken).poll(context));
        if ended.is_ok() {
            self.given_up = None;
        }
        Poll::Ready(ended)
    }
}

impl<F: FnOnce(bool)> Drop for Wait<'_, F> {
    fn drop(&mut self) {
        self.place.leave();
        if let Some(given_up) = self.given_up.take() {
            given_up(self.place.was_woken());
        }
    }
}

/// The loop in which the first wait took place.
#[derive(Default)]
pub(crate) struct LoopBound {
    event_loop: OnceCell<LoopId>,
}

impl LoopBound {
    // ANCHOR: bound
    /// Makes a future of the running loop, for a task to wait for. Fails if no loop runs in this
    /// thread, or if the first wait took place in another loop.
    pub(crate) fn create_future(&self) -> Result<Future<()>> {
        let running = get_running_loop()?;
        if *self.event_loop.get_or_init(|| running.id()) != running.id() {
            return Err(SyncError::BoundToAnotherLoop.into());
        }
        Ok(running.create_future())
    }
    // ANCHOR_END: bound

    /// Makes the same checks as `create_future`, without storing the running loop.
    pub(crate) fn check(&self) -> Result<()> {
        let running = get_running_loop()?.id();
        if self.event_loop.get().is_some_and(|bound| *bound != running) {
            return Err(SyncError::BoundToAnotherLoop.into());
        }
        Ok(())
    }
}

impl fmt::Debug for LoopBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoopBound").field(&self.event_loop.get().is_some()).finish()
    }
}

/// A lock or a semaphore, on which a guard calls `release`.
pub(crate) trait Release {
    fn release(&self) -> Result<()>;
}

/// A guard that holds a lock or a permit until the guard is dropped. The guard is dropped at the
/// end of the block, even if `?` leaves the block early, and when the whole coroutine is dropped.
///
/// Give the guard a name, if only `_held`: `let _ = lock.hold().await?` drops the guard at once.
#[must_use = "it's released when this is dropped"]
pub struct Held<'a> {
    /// `None` once the lock or the permit is released.
    what: Option<&'a dyn Release>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(what: &'a dyn Release) -> Self {
        Held { what: Some(what) }
    }

    /// Releases the lock or the permit now.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::LockNotAcquired`] if other code has already released the lock, so
    /// that the lock isn't held, and with [`SyncError::ReleasedTooManyTimes`] if a bounded
    /// semaphore already has all its permits.
    pub fn release(mut self) -> Result<()> {
        self.what.take().map_or(Ok(()), Release::release)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // If other code has already released the lock or the permit, there's nothing left to do.
        // asyncio raises RuntimeError or ValueError at the end of the block. A destructor can't
        // return an error.
        let _ = self.what.take().map_or(Ok(()), Release::release);
    }
}

impl fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").finish()
    }
}

/// The reason why a lock, a queue or another object of this kind refused a call.
///
/// asyncio has exception classes for some of these reasons and raises `RuntimeError` or
/// `ValueError` for the others. Here an operation fails with [`Error::Other`], and
/// [`SyncError::of`] returns the reason inside.
///
/// ```
/// use asyncio::{Queue, SyncError};
/// let queue: Queue<u32> = Queue::new(1);
/// let refused = queue.get_nowait().map_err(|error| SyncError::of(&error));
/// assert_eq!(refused, Err(Some(SyncError::QueueEmpty)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncError {
    /// `release` was called on a lock that wasn't locked.
    LockNotAcquired,
    /// A wait for a condition began although other code had released the condition's lock.
    WaitOnUnacquiredLock,
    /// A condition was notified although other code had released the condition's lock.
    NotifyOnUnacquiredLock,
    /// A bounded semaphore was released above its initial value.
    ReleasedTooManyTimes,
    /// [`get_nowait`](crate::QueueOf::get_nowait) was called on an empty queue.
    QueueEmpty,
    /// [`put_nowait`](crate::QueueOf::put_nowait) was called on a full queue.
    QueueFull,
    /// The queue was shut down.
    QueueShutDown,
    /// [`task_done`](crate::QueueOf::task_done) was called although all items were already done.
    TaskDoneTooManyTimes,
    /// The barrier was aborted or reset; asyncio's `BrokenBarrierError`.
    BrokenBarrier(&'static str),
    /// The first wait took place on another loop.
    BoundToAnotherLoop,
}

impl SyncError {
    /// Returns the `SyncError` inside an error, if there's one.
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

/// Lets `?` return a `SyncError` from a coroutine.
impl From<SyncError> for Error {
    fn from(error: SyncError) -> Self {
        Error::other(error)
    }
}
