//! The common code of the tests of locks and queues.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::num::NonZero;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use asyncio::{Barrier, Error, EventLoop, Queue, Result, SyncError, Task, create_task, yield_now};
use kit::limit_time;

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
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
    let result = event_loop.run(main).unwrap();
    assert_eq!(reports.take(), [""; 0], "reported");
    result
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

/// Polls a future once, as part of the running task.
pub(crate) async fn poll_once<F: Future + ?Sized>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// Returns the reason for a refusal, if the outcome is a refusal.
pub(crate) fn refusal<T>(outcome: Result<T>) -> Option<SyncError> {
    outcome.err().and_then(|error| SyncError::of(&error))
}

pub(crate) fn is_cancelled<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Cancelled(_)))
}
