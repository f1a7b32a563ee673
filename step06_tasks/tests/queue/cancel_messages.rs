//! The message of a cancellation, and an error that a cancellation hides.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use step06_tasks::{Error, Future, ReadyQueue, Result, Task, check_cancelled, yield_now};

/// Makes a queue and a task that waits for a future.
fn waiting() -> (ReadyQueue, Future<()>, Task<()>) {
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let task = queue.create_task(future.clone());
    queue.run_until_idle().unwrap();
    (queue, future, task)
}

fn keep_reports(queue: &ReadyQueue) -> Rc<RefCell<Vec<String>>> {
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    queue.set_exception_handler(move |report| kept.borrow_mut().push(report.to_string()));
    reports
}

fn message<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

#[test]
fn the_message_of_the_last_request_arrives() {
    let (queue, _future, task) = waiting();
    let outer = queue.create_task(task.clone());
    queue.run_until_idle().unwrap();
    outer.cancel_with("shutdown");
    queue.run_until_idle().unwrap();
    assert_eq!(message(outer.result()), "cancelled: shutdown");
    assert_eq!(message(outer.result()), "cancelled: shutdown", "asyncio tells it only once");
}

#[test]
fn what_was_cancelled_first_has_the_message_that_arrives() {
    let (queue, future, task) = waiting();
    future.cancel_with("the future");
    task.cancel_with("the task");
    queue.run_until_idle().unwrap();
    assert_eq!(message(task.result()), "cancelled: the future");
}

#[test]
fn a_task_passes_on_the_message_with_which_the_other_has_ended() {
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let inner = queue.create_task::<()>(async move {
        let _ = future.await;
        Err(Error::Cancelled(Some("its own".into())))
    });
    let outer = queue.create_task(inner);
    queue.run_until_idle().unwrap();
    outer.cancel_with("shutdown");
    queue.run_until_idle().unwrap();
    assert_eq!(message(outer.result()), "cancelled: its own");
}

#[test]
fn cancelling_a_failed_future_or_task_gives_up_its_report() {
    let (queue, future, task) = waiting();
    let reports = keep_reports(&queue);
    let unseen: Future<()> = queue.create_future();
    unseen.set_exception(Error::other("unseen")).unwrap();
    future.set_exception(Error::other("lost")).unwrap();
    queue.run_until_idle().unwrap();
    assert!(!unseen.cancel() && !task.cancel());
    drop((unseen, future, task));
    assert!(reports.borrow().is_empty());
}

#[test]
fn an_error_that_a_cancelled_task_did_not_see_is_reported() {
    let (queue, future, task) = waiting();
    let reports = keep_reports(&queue);
    future.set_exception(Error::other("lost")).unwrap();
    task.cancel();
    queue.run_until_idle().unwrap();
    drop(future);
    assert_eq!(*reports.borrow(), ["Future exception was never retrieved: lost"]);
}

/// Makes a task that waits in a leaf, which is no future that could be cancelled.
fn waiting_in_a_leaf() -> (ReadyQueue, Task<()>) {
    let queue = ReadyQueue::new().unwrap();
    let task = queue.create_task(poll_fn(|_| match check_cancelled() {
        Err(cancelled) => Poll::Ready(Err(cancelled)),
        Ok(()) => Poll::Pending,
    }));
    queue.run_until_idle().unwrap();
    (queue, task)
}

#[test]
fn in_a_leaf_the_message_of_the_first_of_two_requests_arrives_as_in_a_future() {
    let (queue, _future, in_a_future) = waiting();
    let (other_queue, in_a_leaf) = waiting_in_a_leaf();
    for (queue, task) in [(queue, in_a_future), (other_queue, in_a_leaf)] {
        task.cancel_with("first");
        task.cancel_with("second");
        task.cancel();
        queue.run_until_idle().unwrap();
        assert_eq!(message(task.result()), "cancelled: first");
    }
}

#[test]
fn a_request_that_has_ended_a_wait_is_delivered_even_if_its_taken_back() {
    let (queue, _future, in_a_future) = waiting();
    let (other_queue, in_a_leaf) = waiting_in_a_leaf();
    for (queue, task) in [(queue, in_a_future), (other_queue, in_a_leaf)] {
        task.cancel();
        task.uncancel();
        queue.run_until_idle().unwrap();
        assert!(task.cancelled());
    }
}

#[test]
fn of_two_requests_to_a_task_that_waits_for_nothing_the_last_message_arrives() {
    let queue = ReadyQueue::new().unwrap();
    let tasks = [(); 2].map(|()| queue.create_task(async { yield_now().await }));
    tasks[0].cancel_with("before it begins");
    tasks[0].cancel_with("last");
    queue.run_ready();
    tasks[1].cancel_with("while it has yielded");
    tasks[1].cancel_with("last");
    queue.run_until_idle().unwrap();
    for task in tasks {
        assert_eq!(message(task.result()), "cancelled: last");
    }
}
