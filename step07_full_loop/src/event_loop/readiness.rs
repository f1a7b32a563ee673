//! What's known of a descriptor's two directions, each with the tasks that wait for it.
//!
//! The kernel reports each change once, so it's remembered here until a call finds that it would block.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use step03_selector::{Interest, ReadyEvent};
use step06_tasks::{LocalWaker, ReadyQueue, Result, check_cancelled};

/// A direction that is always ready yields after this many waits that returned at once, so that other
/// tasks run. It's large enough to cost nothing (such a wait takes nanoseconds, a tick a system
/// call), and small enough that 64 reads don't delay the others for long.
const TURNS_IN_A_ROW: u32 = 64;

/// The state of both directions of one descriptor.
#[derive(Default)]
pub(crate) struct Readiness {
    pub(crate) read: DirectionState,
    pub(crate) write: DirectionState,
}

/// One direction: its readiness, and the tasks that wait for it.
#[derive(Default)]
pub(crate) struct DirectionState {
    pub(crate) ready: Cell<bool>,
    /// Nothing more will change here, so it stays ready: the next call finds the end or an error.
    closed: Cell<bool>,
    turns: Cell<u32>,
    waiting: RefCell<Wakers>,
}

/// Tasks that wait. Mostly it's a single task, and then no list is allocated.
#[derive(Default)]
struct Wakers {
    first: Option<LocalWaker>,
    others: Vec<LocalWaker>,
}

impl Readiness {
    /// Notes that nothing more will be reported: both directions stay ready.
    pub(crate) fn close(&self, queue: &ReadyQueue) {
        self.read.set_ready(true, queue);
        self.write.set_ready(true, queue);
    }

    /// Updates the state from an event of the selector. The tasks that wait are queued at once, so they
    /// run in this tick. (In asyncio the event queues a callback, and the task that this wakes runs a tick
    /// later.)
    pub(crate) fn update<T>(&self, event: &ReadyEvent<T>, queue: &ReadyQueue) {
        if event.interest.contains(Interest::READABLE) {
            self.read.set_ready(event.read_closed, queue);
        }
        if event.interest.contains(Interest::WRITABLE) {
            self.write.set_ready(event.write_closed, queue);
        }
    }
}

impl DirectionState {
    /// Wakes all that wait. A waker can be anybody's code. The kernel reports a change only once, so a
    /// panic must harm neither the other wakers nor the other events.
    fn set_ready(&self, closed: bool, queue: &ReadyQueue) {
        self.ready.set(true);
        if closed {
            self.closed.set(true);
        }
        let Wakers { first, others } = self.waiting.take();
        for waker in first.into_iter().chain(others) {
            queue.run_reporting("Exception in a waker", || waker.wake());
        }
    }

    /// Notes that a call would block, or came back short: the kernel reports the next change.
    /// (tokio: `clear_readiness`)
    pub(crate) fn clear_ready(&self) {
        self.ready.set(self.closed.get());
    }

    /// Waits until the direction is ready. Readiness is a hint: the call might still find that it
    /// would block, and the caller then waits again.
    async fn ready(&self) -> Result<()> {
        poll_fn(|context| self.poll_ready(context)).await
    }

    pub(crate) async fn retry<T>(&self, mut call: impl FnMut() -> io::Result<T>) -> Result<T> {
        loop {
            self.ready().await?;
            match call() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // It isn't closed after all: an earlier error, such as a refused message, ends a
                    // stream, but not a socket for datagrams.
                    self.closed.set(false);
                    self.clear_ready();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Takes one of the turns. Returns false if the direction isn't ready, or if the task has to let other
    /// tasks run first.
    pub(crate) fn take_turn(&self) -> bool {
        let has_turn = self.ready.get() && self.turns.get() < TURNS_IN_A_ROW;
        self.turns.set(self.turns.get() + u32::from(has_turn));
        has_turn
    }

    pub(crate) fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        check_cancelled()?;
        if !self.ready.get() {
            self.turns.set(0);
            self.wait(LocalWaker::of(context));
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

    /// Waits until the direction is said to be ready, whether it's that now or not. A task whose
    /// earlier wait was dropped can still be listed, and isn't added twice.
    fn wait(&self, waker: LocalWaker) {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.first.is_none() {
            waiting.first = Some(waker);
        } else if !waiting.first.iter().chain(&waiting.others).any(|it| it.will_wake(&waker)) {
            waiting.others.push(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn a_direction_that_is_always_ready_has_a_limited_number_of_turns_without_a_wait() {
        let direction = DirectionState::default();
        assert!(!direction.take_turn(), "it isn't ready");
        direction.set_ready(false, &ReadyQueue::new().unwrap());
        let turns = (0..1000).filter(|_| direction.take_turn()).count();
        assert_eq!(turns, 64);
        let mut context = Context::from_waker(Waker::noop());
        assert!(direction.poll_ready(&mut context).is_pending(), "others have their turn");
        assert!(direction.poll_ready(&mut context).is_ready());
        assert!(direction.take_turn());
    }

    #[test]
    fn a_task_that_asks_64_times_in_a_row_has_to_wait_at_the_next_time() {
        let direction = DirectionState::default();
        direction.set_ready(false, &ReadyQueue::new().unwrap());
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..3 {
            let polls = [(); 65].map(|()| direction.poll_ready(&mut context).is_ready());
            assert_eq!(polls.iter().position(|is_ready| !is_ready), Some(64));
        }
    }
}
