//! Properties of cancelling that no scene shows.

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::Poll;

use kit::limit_time;
use step06_tasks::{Error, Future, ReadyQueue, Task, check_cancelled, yield_now};

/// Makes a queue whose reports are kept.
fn queue_with_reports() -> (ReadyQueue, Rc<RefCell<Vec<String>>>) {
    let (queue, reports) = (ReadyQueue::new().unwrap(), Rc::<RefCell<Vec<String>>>::default());
    let kept = Rc::clone(&reports);
    queue.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    (queue, reports)
}

#[test]
fn a_cancelled_task_that_nobody_asks_is_not_reported() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    queue.create_task::<()>(pending()).cancel();
    queue.run_until_idle().unwrap();
    assert!(reports.borrow().is_empty());
}

#[test]
fn a_cancel_that_comes_after_the_result_still_reaches_the_task() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let awaited = future.clone();
    let task = queue.create_task(awaited);
    queue.run_until_idle().unwrap();
    future.set_result(()).unwrap();
    assert!(task.cancel());
    queue.run_until_idle().unwrap();
    assert!(task.cancelled());
}

#[test]
fn a_task_that_cancels_itself_is_told_at_its_next_wait() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let myself: Future<Task<&str>> = queue.create_future();
    let inner = myself.clone();
    let task = queue.create_task(async move {
        inner.await?.cancel();
        match yield_now().await {
            Err(Error::Cancelled(_)) => Ok("told"),
            _ => Ok("not told"),
        }
    });
    myself.set_result(task.clone()).unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(task.result().unwrap(), "told");
}

#[test]
fn a_wish_that_no_leaf_hears_ends_the_task_cancelled() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let released = Rc::new(Cell::new(false));
    let inner = Rc::clone(&released);
    // A leaf of other code, which doesn't know check_cancelled.
    let task = queue.create_task(poll_fn(move |context| {
        if inner.get() {
            return Poll::Ready(Ok(()));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }));
    queue.run_ready();
    task.cancel();
    queue.run_ready();
    assert!(!task.done());
    released.set(true);
    queue.run_ready();
    assert!(task.cancelled());
}

#[test]
fn outside_a_task_nobody_is_cancelled() {
    limit_time();
    assert!(check_cancelled().is_ok());
}

#[test]
fn tasks_that_await_each_other_in_a_ring_can_still_be_cancelled() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let second: Future<Task<()>> = queue.create_future();
    let awaited = second.clone();
    let first = queue.create_task(async move { awaited.await?.await });
    let awaited = first.clone();
    let ring = queue.create_task(awaited);
    second.set_result(ring.clone()).unwrap();
    queue.run_until_idle().unwrap();
    assert!(!first.done() && !ring.done());
    assert!(first.cancel());
    queue.run_until_idle().unwrap();
    assert!(first.cancelled() && ring.cancelled());
}
