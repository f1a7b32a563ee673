//! The operations that all contestants in Rust share, so that each load is written only once for
//! them.
//!
//! Every task's coroutine returns our `Result<u64>`, so all tasks carry results of the same size.

use std::cell::{Cell, RefCell};
use std::future::{Future as Coroutine, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use step06_tasks::Result;

/// A way to run tasks on one thread. The value itself is a handle, through which a task spawns
/// other tasks.
pub(crate) trait Runtime: Clone + 'static {
    /// A task that can be joined.
    type Task: 'static;
    /// A task that waits for an event that never comes.
    type Waiting: 'static;
    /// The sending end of a channel for a single message.
    type Sender: 'static;

    /// Makes a runtime, runs the main coroutine on it to its end, and returns the result.
    fn run<C>(main: impl FnOnce(Self) -> C) -> u64
    where
        C: Coroutine<Output = Result<u64>> + 'static;

    /// Spawns a task.
    fn spawn(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) -> Self::Task;

    /// Waits until a task has ended and returns its result.
    fn join(task: Self::Task) -> impl Coroutine<Output = u64>;

    /// Yields once, so that the other tasks can run.
    fn yield_now() -> impl Coroutine<Output = Result<()>>;

    /// Makes a channel between two tasks. The channel holds at most one message at a time. Returns
    /// the functions that send and receive.
    fn channel_of_one(
        &self,
    ) -> (impl AsyncFnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static);

    /// Makes a channel for a single message. Returns its sending end and a coroutine that waits for
    /// the message.
    fn one_message(&self) -> (Self::Sender, impl Coroutine<Output = u64> + 'static);

    /// Sends the only message of a channel that `one_message` has made.
    fn send(sender: Self::Sender, message: u64);

    /// Spawns a task that reports its arrival and then waits.
    fn spawn_waiting(&self, arrivals: Rc<Countdown>) -> Self::Waiting;

    /// Cancels a task and waits until it has ended. Returns true if the task ended as cancelled.
    fn cancel(task: Self::Waiting) -> impl Coroutine<Output = bool>;
}

/// Counts the tasks that haven't arrived yet, and wakes the task that waits for the last arrival.
#[derive(Debug)]
pub(crate) struct Countdown {
    missing: Cell<u64>,
    waiter: RefCell<Option<Waker>>,
}

impl Countdown {
    pub(crate) fn of(count: u64) -> Rc<Self> {
        Rc::new(Countdown { missing: Cell::new(count), waiter: RefCell::default() })
    }

    pub(crate) fn arrive(&self) {
        self.missing.set(self.missing.get() - 1);
        if self.missing.get() == 0
            && let Some(waiter) = self.waiter.take()
        {
            waiter.wake();
        }
    }

    /// Waits until all tasks have arrived.
    pub(crate) async fn all(&self) {
        poll_fn(|context| {
            if self.missing.get() == 0 {
                return Poll::Ready(());
            }
            self.waiter.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}
