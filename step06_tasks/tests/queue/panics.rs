//! Wakers, destructors and payloads that panic: each panic ends only its own entry, and later
//! entries of the same list have their turn.

use std::cell::Cell;
use std::future::{Future as _, pending, poll_fn};
use std::panic::panic_any;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::queue_with_reports;
use step06_tasks::{CancelOverride, Future, ReadyQueue, Task};

/// Panics when it's dropped.
struct BadDestructor;

impl Drop for BadDestructor {
    fn drop(&mut self) {
        panic!("dropped badly");
    }
}

/// Panics when it's dropped, with a payload that also panics when it's dropped.
struct BadPayload;
impl Drop for BadPayload {
    fn drop(&mut self) {
        panic_any(BadDestructor);
    }
}

/// Schedules a callback and returns a flag that's true once it has run.
fn has_run_later(queue: &ReadyQueue) -> Rc<Cell<bool>> {
    let has_run = Rc::<Cell<bool>>::default();
    let flag = Rc::clone(&has_run);
    queue.call_soon(move || flag.set(true));
    has_run
}

#[test]
fn a_waker_that_panics_takes_no_other_waiter_with_it() {
    struct BadWaker;
    impl Wake for BadWaker {
        fn wake(self: Arc<Self>) {
            panic!("woken badly");
        }
    }
    let (queue, reports) = queue_with_reports();
    let future: Future<u32> = queue.create_future();
    let mut waits_badly = future.clone();
    let waker = Waker::from(Arc::new(BadWaker));
    assert!(Pin::new(&mut waits_badly).poll(&mut Context::from_waker(&waker)).is_pending());
    let task = queue.create_task(future.clone());
    queue.run_until_idle().unwrap();
    future.set_result(42).unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(task.result().unwrap(), 42);
    assert_eq!(*reports.borrow(), ["Exception in a waker: panicked: woken badly"]);
}

#[test]
fn a_callback_that_a_closed_queue_drops_badly_takes_no_other_with_it() {
    let (queue, reports) = queue_with_reports();
    let future: Future<()> = queue.create_future();
    let (bad, held) = (BadDestructor, Rc::new(()));
    future.add_done_callback(move |_| drop(bad));
    let inside = Rc::clone(&held);
    future.add_done_callback(move |_| drop(inside));
    queue.close();
    future.set_result(()).unwrap();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(*reports.borrow(), ["Exception in a destructor: panicked: dropped badly"]);
}

#[test]
fn a_payload_that_panics_when_its_dropped_doesnt_end_the_loop() {
    let (queue, reports) = queue_with_reports();
    queue.call_soon(|| panic_any(BadPayload));
    queue.create_task::<()>(async { panic_any(BadPayload) });
    let has_run = has_run_later(&queue);
    queue.run_until_idle().unwrap();
    assert!(has_run.get());
    assert_eq!(reports.borrow()[0], "Exception in callback: panicked: a payload that is no text");
}

#[test]
fn a_destructor_with_such_a_payload_doesnt_end_the_clearing() {
    let (queue, reports) = queue_with_reports();
    let (bad, held) = (BadPayload, Rc::new(()));
    queue.call_soon(move || drop(bad));
    let inside = Rc::clone(&held);
    queue.call_soon(move || drop(inside));
    queue.clear();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(
        *reports.borrow(),
        ["Exception in a destructor: panicked: a payload that is no text"]
    );
}

#[test]
fn an_exception_handler_with_such_a_payload_doesnt_end_the_loop() {
    let queue = ReadyQueue::new().unwrap();
    queue.set_exception_handler(|_| panic_any(BadDestructor));
    queue.call_soon(|| panic!("oh no"));
    let has_run = has_run_later(&queue);
    queue.run_until_idle().unwrap();
    assert!(has_run.get());
}

/// A future that stays pending when it's cancelled and panics when it's dropped.
struct Stubborn(BadDestructor);

impl CancelOverride for Stubborn {
    fn can_cancel(&self) -> bool {
        true
    }

    fn cancel(&self, _message: Option<&str>) {}
}

/// Makes a task that polls the future in the cell and ends when the cell is empty. A request to end
/// is passed on; if the cell is emptied then, only the task's notes keep the future.
fn polls_what_is_in(cell: &Rc<Cell<Option<Future<()>>>>, queue: &ReadyQueue) -> Task<()> {
    let cell = Rc::clone(cell);
    queue.create_task(poll_fn(move |context| {
        let Some(mut future) = cell.take() else { return Poll::Ready(Ok(())) };
        let polled = Pin::new(&mut future).poll(context);
        cell.set(Some(future));
        polled
    }))
}

#[test]
fn what_a_task_waited_for_spares_the_other_tasks_of_a_clear() {
    let (queue, reports) = queue_with_reports();
    let stubborn = queue.create_future_with(Stubborn(BadDestructor));
    let cell = Rc::new(Cell::new(Some(stubborn)));
    let task = polls_what_is_in(&cell, &queue);
    let held = Rc::new(());
    let inside = Rc::clone(&held);
    queue.create_task::<()>(async move {
        pending::<()>().await;
        drop(inside);
        Ok(())
    });
    queue.run_until_idle().unwrap();
    assert!(task.cancel());
    drop(cell.take());
    queue.clear();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(reports.borrow()[0], "Exception in a destructor: panicked: dropped badly");
}

#[test]
fn a_task_ends_even_if_what_it_waited_for_is_dropped_badly() {
    let (queue, reports) = queue_with_reports();
    let stubborn: Future<()> = queue.create_future_with(Stubborn(BadDestructor));
    let cell = Rc::new(Cell::new(Some(stubborn.clone())));
    let task = polls_what_is_in(&cell, &queue);
    queue.run_until_idle().unwrap();
    assert!(task.cancel());
    stubborn.set_result(()).unwrap();
    drop((cell.take(), stubborn));
    queue.run_until_idle().unwrap();
    assert!(task.done());
    assert_eq!(*reports.borrow(), ["Exception in a destructor: panicked: dropped badly"]);
}
