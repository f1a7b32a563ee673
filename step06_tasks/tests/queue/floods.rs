//! Threads that send faster than the queue runs what they send.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::thread;
use std::time::Duration;

use kit::limit_time;
use step03_selector::{EpollSelector, Interest, Selector};
use step06_tasks::{Drain, ReadyQueue};

thread_local! {
    static RAN: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Sends a callback for each number from another thread; each callback notes its number.
fn flood(queue: &ReadyQueue, numbers: std::ops::Range<usize>) {
    let handle = queue.handle();
    let send = move || {
        for number in numbers {
            handle.call_soon_threadsafe(move || RAN.with_borrow_mut(|ran| ran.push(number)));
        }
    };
    thread::spawn(send).join().unwrap();
}

fn both_kinds() -> [ReadyQueue; 2] {
    [ReadyQueue::new().unwrap(), ReadyQueue::with_eventfd().unwrap()]
}

/// A loop of a few lines, which looks only when the queue's descriptors are readable.
struct Host {
    queue: ReadyQueue,
    selector: EpollSelector<bool>,
}

impl Host {
    fn of(queue: ReadyQueue) -> Self {
        let mut selector = EpollSelector::new().unwrap();
        selector.register(&queue, Interest::READABLE, false).unwrap();
        if let Some(counter) = queue.counter() {
            selector.register_edge(counter, Interest::READABLE, true).unwrap();
        }
        Host { queue, selector }
    }

    /// Takes the messages and returns true if a descriptor is readable.
    fn take(&mut self, timeout: Option<Duration>) -> bool {
        let mut events = Vec::new();
        self.selector.select(timeout, &mut events).unwrap();
        for event in &events {
            let drain = if event.data { Drain::Nothing } else { Drain::Pipe };
            self.queue.take_remote(drain).unwrap();
        }
        !events.is_empty()
    }
}

#[test]
fn a_tick_takes_a_batch_of_a_flood_and_the_queue_wakes_its_loop_for_the_rest() {
    limit_time();
    for queue in both_kinds() {
        let mut host = Host::of(queue.clone());
        flood(&queue, 0..5000);
        let mut batches = Vec::new();
        // The wait doesn't sleep: were the queue not readable, the rest would stay in the inbox.
        while host.take(Some(Duration::ZERO)) {
            assert_eq!(queue.has_been_woken(), batches.len() < 4);
            batches.push(queue.run_ready());
            assert_eq!(queue.is_empty(), batches.len() == 5);
        }
        assert_eq!(batches, [1024, 1024, 1024, 1024, 904]);
        assert!(RAN.take().into_iter().eq(0..5000));
    }
}

#[test]
fn what_is_scheduled_here_waits_for_one_batch_at_most_and_for_all_that_fits_into_it() {
    limit_time();
    for queue in both_kinds() {
        for (sent, before) in [(1000, 1000), (1024, 1024), (5000, 1024)] {
            flood(&queue, 0..sent);
            let found = Rc::new(Cell::new(None));
            let here = Rc::clone(&found);
            queue.call_soon(move || here.set(Some(RAN.with_borrow(Vec::len))));
            let woken = queue.create_task(async { Ok(RAN.with_borrow(Vec::len)) });
            queue.run_ready();
            assert_eq!(found.get(), Some(before));
            assert_eq!(woken.result().unwrap(), before);
            queue.run_until_idle().unwrap();
            assert!(RAN.take().into_iter().eq(0..sent), "and nothing is lost");
        }
    }
}

#[test]
fn four_threads_that_never_stop_leave_the_loop_its_turns() {
    limit_time();
    for queue in both_kinds() {
        let mut host = Host::of(queue.clone());
        let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let threads: [_; 4] = std::array::from_fn(|thread| {
            let (handle, is_over) = (queue.handle(), Arc::clone(&is_over));
            thread::spawn(move || {
                let mut sent = 0;
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) && sent < 1_000_000 {
                    let number = 4 * sent + thread;
                    handle
                        .call_soon_threadsafe(move || RAN.with_borrow_mut(|ran| ran.push(number)));
                    sent += 1;
                }
                sent
            })
        });
        for _ in 0..100 {
            assert!(host.take(None));
            assert!(queue.run_ready() <= 1024);
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let sent = threads.map(|thread| thread.join().unwrap());
        while host.take(Some(Duration::ZERO)) {
            queue.run_ready();
        }
        let ran = RAN.take();
        for (thread, sent) in sent.into_iter().enumerate() {
            let of_thread = ran.iter().filter(|number| *number % 4 == thread).map(|it| it / 4);
            assert!(of_thread.eq(0..sent), "each thread's callbacks, in its order");
        }
    }
}

#[test]
fn a_wake_up_in_a_flood_is_neither_lost_nor_doubled() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let (waker, steps) = (Rc::<RefCell<Option<Waker>>>::default(), Rc::new(Cell::new(0)));
    let (slot, counted) = (Rc::clone(&waker), Rc::clone(&steps));
    let task = queue.create_task::<()>(std::future::poll_fn(move |context| {
        counted.set(counted.get() + 1);
        slot.replace(Some(context.waker().clone()));
        std::task::Poll::Pending
    }));
    queue.run_ready();
    flood(&queue, 0..3000);
    let waker = waker.take().unwrap();
    thread::spawn(move || [(); 3].map(|()| waker.wake_by_ref())).join().unwrap();
    for expected in [1, 1, 2] {
        queue.take_remote(Drain::Pipe).unwrap();
        queue.run_ready();
        assert_eq!(steps.get(), expected);
    }
    queue.run_until_idle().unwrap();
    assert_eq!(steps.get(), 2);
    task.any().expect_to_be_destroyed();
    queue.clear();
}

#[test]
fn a_batch_that_wakes_only_what_has_ended_does_not_end_the_run() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let wakers = Rc::<RefCell<Vec<Waker>>>::default();
    for _ in 0..1024 {
        let wakers = Rc::clone(&wakers);
        queue.create_task(std::future::poll_fn(move |context| {
            wakers.borrow_mut().push(context.waker().clone());
            std::task::Poll::Ready(Ok(()))
        }));
    }
    queue.run_until_idle().unwrap();
    let wakers = wakers.take();
    thread::spawn(move || wakers.into_iter().for_each(Waker::wake)).join().unwrap();
    flood(&queue, 0..1);
    queue.run_until_idle().unwrap();
    assert_eq!(RAN.take(), [0]);
}

#[test]
fn a_queue_that_is_cleared_drops_all_of_a_flood() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let held = Arc::new(());
    for taken in [false, true] {
        for _ in 0..5000 {
            let held = Arc::clone(&held);
            queue.handle().call_soon_threadsafe(move || drop(held));
        }
        if taken {
            queue.take_remote(Drain::Pipe).unwrap();
        }
        queue.clear();
        assert_eq!(Arc::strong_count(&held), 1);
        assert!(queue.is_empty());
    }
    // The next flood is taken in batches again.
    flood(&queue, 0..2000);
    queue.take_remote(Drain::Pipe).unwrap();
    assert_eq!(queue.run_ready(), 1024);
    RAN.take();
}

#[test]
fn a_closed_queue_takes_nothing_although_something_keeps_it() {
    limit_time();
    for queue in both_kinds() {
        let handle = queue.handle();
        let held = Arc::new(());
        queue.close();
        let late = Arc::clone(&held);
        handle.call_soon_threadsafe(move || drop(late));
        assert_eq!(Arc::strong_count(&held), 1, "the callback is dropped at once");
        assert!(queue.is_empty());
        assert!(!queue.has_been_woken());
    }
}
