//! Tests of cancelling that the random programs leave out: leaves, which CPython doesn't have.

use std::future::poll_fn;
use std::task::Poll;

use kit::limit_time;
use step06_tasks::{Future, ReadyQueue, Result, Task, check_cancelled};

/// Makes a queue with a task that waits for a future.
fn waiting() -> (ReadyQueue, Future<()>, Task<()>) {
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let task = queue.create_task(future.clone());
    queue.run_until_idle().unwrap();
    (queue, future, task)
}

fn message<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

/// A task that waits in a leaf, where there's no future to cancel.
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
        assert_eq!(message(task.result()), "cancelled: first", "asyncio tells it only once");
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
fn outside_a_task_nobody_is_cancelled() {
    limit_time();
    assert!(check_cancelled().is_ok());
}
