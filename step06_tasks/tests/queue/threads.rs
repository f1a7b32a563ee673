//! Properties of other threads' wake-ups that no scene shows.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;

use kit::limit_time;
use step03_selector::{EpollSelector, Interest, Selector};
use step06_tasks::{Drain, ReadyQueue};

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
    // The index in the table now belongs to another task, which mustn't be woken in its place.
    let polls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&polls);
    let _next = queue.create_task::<()>(poll_fn(move |_| {
        counted.set(counted.get() + 1);
        Poll::Pending
    }));
    queue.run_until_idle().unwrap();
    let waker = waker.take().unwrap();
    thread::spawn(move || waker.wake()).join().unwrap();
    queue.run_until_idle().unwrap();
    assert_eq!(polls.get(), 1);
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
        queue.take_remote(Drain::Pipe).unwrap();
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
fn a_thread_can_wake_the_same_task_again_as_soon_as_its_last_wake_has_been_taken() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let (polls, waker) = (Rc::new(Cell::new(0)), Rc::<RefCell<Option<Waker>>>::default());
    let (counted, place) = (Rc::clone(&polls), Rc::clone(&waker));
    let _task = queue.create_task::<()>(poll_fn(move |context| {
        counted.set(counted.get() + 1);
        place.replace(Some(context.waker().clone()));
        Poll::Pending
    }));
    queue.run_until_idle().unwrap();
    for wakes in 1..=3 {
        let waker = waker.borrow().clone().unwrap();
        thread::spawn(move || waker.wake()).join().unwrap();
        queue.run_until_idle().unwrap();
        assert_eq!(polls.get(), 1 + wakes);
    }
    queue.set_exception_handler(|_| {});
    queue.clear();
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
