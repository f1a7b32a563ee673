//! Properties of futures and callbacks that no scene shows.

use std::cell::RefCell;
use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use crate::queue_with_reports;
use kit::cost::{cpu_time_of, growth};
use kit::limit_time;
use step06_tasks::{Error, Future, ReadyQueue};

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

/// Begins many waits for one future and gives them all up, starting with the first or the last.
fn time_to_give_up(waits: usize, from_the_last: bool) -> Duration {
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let begin = |_| {
        let mut handle = future.clone();
        let polled = Pin::new(&mut handle).poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        handle
    };
    let mut handles: Vec<_> = (0..waits).map(begin).collect();
    if from_the_last {
        handles.reverse();
    }
    cpu_time_of(|| handles.into_iter().for_each(drop)).unwrap().1
}

#[test]
fn many_waits_on_one_future_are_given_up_in_linear_time() {
    limit_time();
    for from_the_last in [false, true] {
        let growth = growth((1000, 40_000), |waits| time_to_give_up(waits, from_the_last));
        assert!(growth < 100.0, "40 times as many take {growth:.0} times as long");
    }
}

#[test]
fn those_that_stay_keep_their_order_when_others_give_up() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let future: Future<()> = queue.create_future();
    let log = Rc::<RefCell<Vec<usize>>>::default();
    let ids: Vec<_> = (0..100)
        .map(|number| {
            let log = Rc::clone(&log);
            future.add_done_callback(move |_| log.borrow_mut().push(number))
        })
        .collect();
    for (number, id) in ids.iter().enumerate().filter(|(number, _)| number % 7 != 3) {
        assert!(future.remove_done_callback(*id), "{number}");
        assert!(!future.remove_done_callback(*id), "{number}");
    }
    let late = Rc::clone(&log);
    future.add_done_callback(move |_| late.borrow_mut().push(100));
    future.set_result(()).unwrap();
    queue.run_until_idle().unwrap();
    let stayed: Vec<_> = (0..100).filter(|number| number % 7 == 3).chain([100]).collect();
    assert_eq!(*log.borrow(), stayed);
    assert!(ids.iter().all(|id| !future.remove_done_callback(*id)));
}

#[test]
fn a_handle_that_has_returned_the_result_does_not_keep_the_task_that_polled_it() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    let future = queue.create_future::<u32>();
    let kept = Rc::new(RefCell::new(future.clone()));
    let handle = Rc::clone(&kept);
    drop(queue.create_task(async move {
        poll_fn(|context| Pin::new(&mut *handle.borrow_mut()).poll(context)).await?;
        Err::<(), _>(Error::other("nobody asks"))
    }));
    queue.run_until_idle().unwrap();
    future.set_result(7).unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(*reports.borrow(), ["Task exception was never retrieved: nobody asks"]);
    drop(kept);
}
