//! What a stream knows of its descriptor between two system calls.
//!
//! A stream is registered once, edge-triggered, for both directions. The kernel reports each
//! change once, so what it said has to be kept: a direction is ready until a read or a write finds
//! that it would block. Then, and then alone, a task waits.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use step03_selector::{Interest, ReadyEvent};
use step06_tasks::{Result, check_cancelled};

/// A stream that is always ready lets others have their turn after so many waits that were none.
const TURNS_IN_A_ROW: u32 = 64;

/// The state of both directions of one descriptor.
#[derive(Default)]
pub(crate) struct Readiness {
    pub(crate) read: Direction,
    pub(crate) write: Direction,
}

/// One direction: is it ready, and who waits until it is?
#[derive(Default)]
pub(crate) struct Direction {
    ready: Cell<bool>,
    /// Nothing more will change here, so it stays ready: the next call finds the end or an error.
    closed: Cell<bool>,
    turns: Cell<u32>,
    waiting: RefCell<Vec<Waker>>,
}

impl Readiness {
    /// Nothing is known of reading yet: the kernel tells with the first event. A new socket has
    /// room to write.
    pub(crate) fn of_new_socket() -> Self {
        let readiness = Readiness::default();
        readiness.write.ready.set(true);
        readiness
    }

    /// Takes in what the selector found.
    pub(crate) fn update<T>(&self, event: &ReadyEvent<T>) {
        if event.interest.contains(Interest::READABLE) {
            self.read.set_ready(event.read_closed);
        }
        if event.interest.contains(Interest::WRITABLE) {
            self.write.set_ready(event.write_closed);
        }
    }
}

impl Direction {
    fn set_ready(&self, closed: bool) {
        self.ready.set(true);
        if closed {
            self.closed.set(true);
        }
        for waker in self.waiting.take() {
            waker.wake();
        }
    }

    /// A call found that it would block, or had no more to give: the next change will be reported.
    pub(crate) fn is_exhausted(&self) {
        self.ready.set(self.closed.get());
    }

    /// Waits until the direction is ready. It may be ready no longer by the time of the call, so
    /// whoever waits tries, and waits again.
    pub(crate) async fn ready(&self) -> Result<()> {
        poll_fn(|context| self.poll_ready(context)).await
    }

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        check_cancelled()?;
        if !self.ready.get() {
            self.turns.set(0);
            self.wait(context.waker());
            return Poll::Pending;
        }
        self.turns.set(self.turns.get() + 1);
        if self.turns.get() > TURNS_IN_A_ROW {
            self.turns.set(0);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// A task that gave up and waits again is there already.
    fn wait(&self, waker: &Waker) {
        let mut waiting = self.waiting.borrow_mut();
        if !waiting.iter().any(|other| other.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }
}
