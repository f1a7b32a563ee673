//! The line in which tasks wait for a lock, an event or an item; asyncio's `_waiters`.
//!
//! Each task waits for a future of its own, and to wake it is to set that future's result. So a task
//! is cancelled while it waits as it is anywhere else. A task leaves the line by itself, when its
//! wait is over; until then, its place shows that it was woken, or cancelled, and hasn't run since.
//!
//! No cell is borrowed while a task is woken, because its waker can be anybody's code.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use step06_tasks::{Future, Result};

#[derive(Debug, Default)]
pub(crate) struct Waiters {
    /// In the order in which they came, and so of their tickets.
    line: RefCell<VecDeque<Waiter>>,
    next_ticket: Cell<u64>,
    /// All with a lower ticket are woken or cancelled. It spares a search through them.
    settled: Cell<u64>,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    woken: Future<()>,
}

impl Waiters {
    /// Joins the line, at its end. The future is pending, and becomes done when its turn comes.
    pub(crate) fn join(&self, woken: Future<()>) -> Place<'_> {
        let ticket = self.next_ticket.get();
        self.next_ticket.set(ticket + 1);
        let waiter = Waiter { ticket, woken: woken.clone() };
        self.line.borrow_mut().push_back(waiter);
        Place { waiters: self, ticket: Some(ticket), woken }
    }

    /// Returns the number of those that are in the line: they wait, or were woken or cancelled and
    /// haven't run since.
    pub(crate) fn len(&self) -> usize {
        self.line.borrow().len()
    }

    /// Returns true if there's one in the line that isn't cancelled.
    pub(crate) fn any_live(&self) -> bool {
        self.line.borrow().iter().any(|waiter| !waiter.woken.cancelled())
    }

    /// Wakes the first one in the line, unless it's woken or cancelled already.
    pub(crate) fn wake_first(&self) {
        let first = self.line.borrow().front().map(|waiter| waiter.woken.clone());
        if let Some(first) = first {
            wake(&first);
        }
    }

    /// Wakes the first one in the line that still waits. Returns false if none does.
    pub(crate) fn wake_next(&self) -> bool {
        let next = self.first_pending();
        next.is_some_and(|next| wake(&next))
    }

    /// Wakes this many of those that still wait, or all of them if they are fewer.
    pub(crate) fn wake_up_to(&self, count: usize) {
        for _ in 0..count {
            if !self.wake_next() {
                return;
            }
        }
    }

    /// Wakes all that still wait.
    pub(crate) fn wake_all(&self) {
        self.wake_up_to(self.len());
    }

    fn first_pending(&self) -> Option<Future<()>> {
        let line = self.line.borrow();
        let first = line.front()?;
        if !first.woken.done() {
            return Some(first.woken.clone());
        }
        let start = line.partition_point(|waiter| waiter.ticket < self.settled.get());
        let next = line.range(start..).find(|waiter| !waiter.woken.done());
        self.settled.set(next.map_or(self.next_ticket.get(), |waiter| waiter.ticket));
        next.map(|waiter| waiter.woken.clone())
    }

    fn remove(&self, ticket: u64) {
        // Nothing of anybody's is dropped here: the place still has the future.
        let mut line = self.line.borrow_mut();
        if line.front().is_some_and(|first| first.ticket == ticket) {
            line.pop_front();
        } else if let Ok(index) = line.binary_search_by_key(&ticket, |waiter| waiter.ticket) {
            line.remove(index);
        }
    }
}

/// Returns false if the future is done already.
fn wake(waiter: &Future<()>) -> bool {
    waiter.set_result(()).is_ok()
}

/// A task's place in the line. It leaves the line when it's dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    waiters: &'a Waiters,
    /// `None` once it has left.
    ticket: Option<u64>,
    woken: Future<()>,
}

impl Place<'_> {
    /// Waits until it's woken, or fails with `Cancelled`.
    pub(crate) async fn wait(&mut self) -> Result<()> {
        (&mut self.woken).await
    }

    /// Returns true if it was woken, whatever has become of its task since.
    pub(crate) fn was_woken(&self) -> bool {
        self.woken.done() && !self.woken.cancelled()
    }

    /// Leaves the line now.
    pub(crate) fn leave(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.waiters.remove(ticket);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
