//! The common code of the tests of locks and queues.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::num::NonZero;
use std::rc::Rc;

use asyncio::{Barrier, EventLoop, Queue, Result, SyncError, Task, create_task, yield_now};

use crate::common::run_without_reports;
pub(crate) use crate::common::{is_cancelled, poll_once};

/// The values of the tasks, in the order in which the tasks added them.
#[derive(Clone, Default)]
pub(crate) struct Log(Rc<RefCell<Vec<i32>>>);

impl Log {
    pub(crate) fn say(&self, value: i32) {
        self.0.borrow_mut().push(value);
    }

    #[track_caller]
    pub(crate) fn assert_is(&self, expected: &[i32]) {
        assert_eq!(*self.0.borrow(), expected);
    }
}

/// Runs a coroutine to its end, on a loop without any reports.
#[track_caller]
pub(crate) fn play<T: Clone + 'static>(main: impl Future<Output = Result<T>> + 'static) -> T {
    run_without_reports(EventLoop::new().unwrap(), main)
}

/// Starts a task, whose first step is in the next tick.
#[track_caller]
pub(crate) fn start<T: 'static>(coroutine: impl Future<Output = Result<T>> + 'static) -> Task<T> {
    create_task(coroutine).unwrap()
}

/// A queue that several tasks use.
pub(crate) type Numbers = Rc<Queue<i32>>;

pub(crate) fn start_get(queue: &Numbers) -> Task<i32> {
    let queue = Rc::clone(queue);
    start(async move { queue.get().await })
}

/// A barrier that several tasks use.
pub(crate) fn barrier_of(parties: usize) -> Rc<Barrier> {
    Rc::new(Barrier::new(NonZero::new(parties).unwrap()))
}

pub(crate) fn start_wait(barrier: &Rc<Barrier>) -> Task<usize> {
    let barrier = Rc::clone(barrier);
    start(async move { barrier.wait().await })
}

/// Lets all other tasks have this many turns.
pub(crate) async fn ticks(count: usize) {
    for _ in 0..count {
        yield_now().await.unwrap();
    }
}

/// Returns the reason for a refusal, if the outcome is a refusal.
pub(crate) fn refusal<T>(outcome: Result<T>) -> Option<SyncError> {
    outcome.err().and_then(|error| SyncError::of(&error))
}
