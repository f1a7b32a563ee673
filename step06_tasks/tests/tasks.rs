//! What no scene tells of futures, tasks and the ready queue.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;

use kit::limit_time;
use step03_selector::{EpollSelector, Interest, Selector};
use step06_tasks::{Error, Future, ReadyQueue, check_cancelled, yield_now};

/// A queue whose reports are kept.
fn queue_with_reports() -> (ReadyQueue, Rc<RefCell<Vec<String>>>) {
    let (queue, reports) = (ReadyQueue::new().unwrap(), Rc::<RefCell<Vec<String>>>::default());
    let kept = Rc::clone(&reports);
    queue.set_exception_handler(move |message| kept.borrow_mut().push(message.to_owned()));
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
fn a_cancelled_task_that_nobody_asks_is_not_reported() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    queue.create_task::<()>(pending()).cancel();
    queue.run_until_idle().unwrap();
    assert!(reports.borrow().is_empty());
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
fn a_task_woken_many_times_is_queued_once() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let (polls, waker) = (Rc::new(Cell::new(0)), Rc::<RefCell<Option<Waker>>>::default());
    let (count, place) = (Rc::clone(&polls), Rc::clone(&waker));
    queue.create_task::<()>(poll_fn(move |context| {
        count.set(count.get() + 1);
        place.replace(Some(context.waker().clone()));
        Poll::Pending
    }));
    queue.run_until_idle().unwrap();
    let waker = waker.take().unwrap();
    for _ in 0..10 {
        waker.wake_by_ref();
    }
    queue.run_until_idle().unwrap();
    assert_eq!(polls.get(), 2);
    queue.clear();
}

#[test]
fn a_waker_may_outlive_its_task_and_be_used_by_any_thread() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let waker = Rc::<RefCell<Option<Waker>>>::default();
    let place = Rc::clone(&waker);
    queue.create_task(async move {
        poll_fn(|context| {
            place.replace(Some(context.waker().clone()));
            Poll::Ready(())
        })
        .await;
        Ok(())
    });
    queue.run_until_idle().unwrap();
    // Its place in the table has a new owner, who must not be woken for it.
    let next = queue.create_task::<()>(pending());
    queue.run_until_idle().unwrap();
    let waker = waker.take().unwrap();
    thread::spawn(move || waker.wake()).join().unwrap();
    queue.run_until_idle().unwrap();
    assert!(!next.done());
    queue.set_exception_handler(|_| {});
    queue.clear();
}

#[test]
fn many_threads_lose_and_double_nothing() {
    const THREADS: usize = 4;
    const EACH: usize = 5_000;
    thread_local! {
        static ARRIVED: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
    }
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let mut selector = EpollSelector::new().unwrap();
    selector.register(&queue, Interest::READABLE, ()).unwrap();
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let handle = queue.handle();
            thread::spawn(move || {
                for number in 0..EACH {
                    handle.call_soon_threadsafe(move || {
                        ARRIVED.with_borrow_mut(|arrived| arrived.push((thread, number)));
                    });
                }
            })
        })
        .collect();
    // Sleeps until the queue is readable, as a loop does: a lost wake-up would hang here.
    let mut events = Vec::new();
    while ARRIVED.with_borrow(Vec::len) < THREADS * EACH {
        selector.select(None, &mut events).unwrap();
        queue.take_remote().unwrap();
        queue.run_ready();
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let mut arrived = ARRIVED.take();
    arrived.sort_by_key(|&(thread, _)| thread);
    let expected: Vec<_> =
        (0..THREADS).flat_map(|thread| (0..EACH).map(move |number| (thread, number))).collect();
    assert!(arrived == expected, "each thread's callbacks, all of them, in its own order");
}

#[test]
fn a_wake_from_another_thread_keeps_its_place_among_the_callbacks() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let waker = Rc::<RefCell<Option<Waker>>>::default();
    let log = Rc::<RefCell<Vec<&str>>>::default();
    let (slot, steps) = (Rc::clone(&waker), Rc::clone(&log));
    queue.create_task::<()>(poll_fn(move |context| {
        steps.borrow_mut().push("step");
        slot.replace(Some(context.waker().clone()));
        Poll::Pending
    }));
    queue.run_ready();
    for name in ["before", "after"] {
        let calls = Rc::clone(&log);
        queue.call_soon(move || calls.borrow_mut().push(name));
        let waker = waker.borrow().clone().unwrap();
        thread::spawn(move || waker.wake()).join().unwrap();
    }
    assert_eq!(queue.run_ready(), 3);
    assert_eq!(*log.borrow(), ["step", "before", "step", "after"]);
    queue.set_exception_handler(|_| {});
    queue.clear();
}

#[test]
fn what_was_sent_is_ready_but_runs_only_when_it_was_taken() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    queue.handle().call_soon_threadsafe(|| {});
    assert!(!queue.is_empty());
    assert_eq!(queue.run_ready(), 0);
    queue.take_remote().unwrap();
    assert_eq!(queue.run_ready(), 1);
    assert!(queue.is_empty());
}

#[test]
fn a_handle_may_outlive_its_queue() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let handle = queue.handle();
    let held = Arc::new(());
    let [sent, late] = [Arc::clone(&held), Arc::clone(&held)];
    handle.call_soon_threadsafe(move || drop(sent));
    drop(queue);
    handle.call_soon_threadsafe(move || drop(late));
    assert_eq!(Arc::strong_count(&held), 1);
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
    let myself: Future<step06_tasks::Task<&str>> = queue.create_future();
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
    // A leaf of somebody else's, which knows nothing of check_cancelled.
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
fn dropping_a_coroutine_may_use_the_queue() {
    struct CallsOnDrop(ReadyQueue, Rc<Cell<bool>>);
    impl Drop for CallsOnDrop {
        fn drop(&mut self) {
            let flag = Rc::clone(&self.1);
            self.0.call_soon(move || flag.set(true));
        }
    }
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let called = Rc::new(Cell::new(false));
    let guard = CallsOnDrop(queue.clone(), Rc::clone(&called));
    let task = queue.create_task::<()>(async move {
        let _guard = guard;
        pending().await
    });
    queue.run_until_idle().unwrap();
    task.cancel();
    queue.set_exception_handler(|_| {});
    queue.clear();
    queue.run_until_idle().unwrap();
    assert!(called.get());
}

#[test]
fn clearing_the_queue_frees_tasks_that_hold_it() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    let held = Rc::new(());
    let (inside, inner_queue) = (Rc::clone(&held), queue.clone());
    queue.create_task::<()>(async move {
        let _both = (inside, inner_queue);
        pending().await
    });
    queue.run_until_idle().unwrap();
    queue.clear();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(*reports.borrow(), ["Task was destroyed but it is pending!"]);
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
    let second: Future<step06_tasks::Task<()>> = queue.create_future();
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
