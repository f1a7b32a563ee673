//! What no scene tells of futures and callbacks.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use kit::limit_time;
use step06_tasks::{Error, Future, ReadyQueue};

/// A queue whose reports are kept.
fn queue_with_reports() -> (ReadyQueue, Rc<RefCell<Vec<String>>>) {
    let (queue, reports) = (ReadyQueue::new().unwrap(), Rc::<RefCell<Vec<String>>>::default());
    let kept = Rc::clone(&reports);
    queue.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    (queue, reports)
}

#[test]
fn everyone_who_awaits_a_future_gets_its_result() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let future: Future<u32> = queue.create_future();
    let tasks = [1, 2, 3].map(|factor| {
        let future = future.clone();
        queue.create_task(async move { Ok(factor * future.await?) })
    });
    queue.run_until_idle().unwrap();
    future.set_result(7).unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(tasks.map(|task| task.result().unwrap()), [7, 14, 21]);
}

#[test]
fn an_error_climbs_through_the_tasks_that_await_it() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let inner = queue.create_task::<()>(async { Err(Error::other("no such user")) });
    let outer = queue.create_task(inner);
    queue.run_until_idle().unwrap();
    assert_eq!(outer.result().unwrap_err().to_string(), "no such user");
}

#[test]
fn an_error_that_nobody_asked_for_is_reported_once() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    drop(queue.create_task::<()>(async { Err(Error::other("lost")) }));
    let asked = queue.create_task::<()>(async { Err(Error::other("found")) });
    queue.run_until_idle().unwrap();
    assert!(asked.result().is_err());
    drop(asked);
    assert_eq!(*reports.borrow(), ["Task exception was never retrieved: lost"]);
}

#[test]
fn a_panic_in_a_callback_is_reported_and_the_next_callback_runs() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    let ran = Rc::new(Cell::new(false));
    let flag = Rc::clone(&ran);
    queue.call_soon(|| panic!("oh no"));
    queue.call_soon(move || flag.set(true));
    queue.run_ready();
    assert!(ran.get());
    assert_eq!(*reports.borrow(), ["Exception in callback: panicked: oh no"]);
}

#[test]
fn a_cancelled_handle_lets_go_of_what_it_held() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let held = Rc::new(());
    let inside = Rc::clone(&held);
    let handle = queue.call_soon(move || drop(inside));
    handle.cancel();
    assert_eq!(Rc::strong_count(&held), 1);
    assert!(handle.cancelled());
}

#[test]
fn a_tasks_own_future_cannot_be_finished_from_outside() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let task = queue.create_task(async { Ok(7) });
    assert!(task.future().set_result(8).is_err());
    assert!(task.future().set_exception(Error::other("from outside")).is_err());
    queue.run_until_idle().unwrap();
    assert_eq!(task.result().unwrap(), 7);
}

#[test]
fn a_task_that_awaits_its_own_future_gets_an_error() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let own: Rc<RefCell<Option<Future<()>>>> = Rc::default();
    let inside = Rc::clone(&own);
    let task = queue.create_task(async move {
        let own = inside.take();
        own.ok_or(Error::other("too early"))?.await
    });
    own.replace(Some(task.future()));
    queue.run_until_idle().unwrap();
    assert!(matches!(task.result(), Err(Error::InvalidState(_))));
}

#[test]
fn a_callback_that_is_added_later_comes_behind_the_others() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let called = Rc::new(RefCell::new(Vec::new()));
    let add = |number| {
        let called = Rc::clone(&called);
        future.add_done_callback(move |_| called.borrow_mut().push(number))
    };
    let first = add(1);
    add(2);
    future.remove_done_callback(first);
    add(3);
    future.set_result(()).unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(*called.borrow(), [2, 3]);
}

#[test]
fn an_id_of_another_future_removes_nothing() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let (one, other): (Future<()>, Future<()>) = (queue.create_future(), queue.create_future());
    let of_one = one.add_done_callback(|_| {});
    let task = queue.create_task(other.clone());
    queue.run_until_idle().unwrap();
    assert!(!other.remove_done_callback(of_one));
    other.set_result(()).unwrap();
    queue.run_until_idle().unwrap();
    assert!(task.done());
    assert!(one.remove_done_callback(of_one));
}
