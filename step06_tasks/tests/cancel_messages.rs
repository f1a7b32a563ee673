//! Which message comes with a cancellation, and what becomes of an error that a cancellation hides.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::rc::Rc;

use step06_tasks::{Error, Future, ReadyQueue, Result, Task};

/// Makes a queue, and a task that waits for a future.
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
