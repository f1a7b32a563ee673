//! The end of queues: the shutdown tests of CPython's `test_queues.py`, under its names, and
//! destructors of items.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::common::reports_of;
use crate::support::{play, refusal, start, ticks};
use asyncio::{
    EventLoop, LifoQueue, PriorityQueue, Queue, QueueItems, QueueOf, Result, SyncError, Task,
};
use kit::limit_time;

type Of<I> = Rc<QueueOf<i32, I>>;

fn start_join<I: QueueItems<i32> + 'static>(queue: &Of<I>) -> Task<()> {
    let queue = Rc::clone(queue);
    start(async move { queue.join().await })
}

fn is_shut_down<T>(outcome: Result<T>) -> bool {
    refusal(outcome) == Some(SyncError::QueueShutDown)
}

async fn assert_all_refuse<I: QueueItems<i32>>(queue: &QueueOf<i32, I>) {
    assert!(is_shut_down(queue.put(1).await));
    assert!(is_shut_down(queue.put_nowait(1)));
    assert!(is_shut_down(queue.get().await));
    assert!(is_shut_down(queue.get_nowait()));
}

fn assert_no_more_are_done<I: QueueItems<i32>>(queue: &QueueOf<i32, I>) {
    assert_eq!(refusal(queue.task_done()), Some(SyncError::TaskDoneTooManyTimes));
}

#[test]
fn task_done_underflow() {
    let outcome = Queue::<i32>::new(0).task_done();
    assert_eq!(outcome.unwrap_err().to_string(), "task_done() called too many times");
}

#[test]
fn shutdown_empty() {
    play(shutdown_empty_of(Rc::new(Queue::new(0))));
    play(shutdown_empty_of(Rc::new(LifoQueue::new(0))));
    play(shutdown_empty_of(Rc::new(PriorityQueue::new(0))));
}

async fn shutdown_empty_of<I: QueueItems<i32> + 'static>(queue: Of<I>) -> Result<()> {
    let inner = Rc::clone(&queue);
    let getters = [(); 2].map(|()| {
        let queue = Rc::clone(&inner);
        start(async move { queue.get().await })
    });
    ticks(1).await;
    queue.shutdown(false);
    assert_eq!(queue.qsize(), 0);
    queue.join().await?;
    ticks(1).await;
    for getter in getters {
        assert!(is_shut_down(getter.result()));
    }
    assert_all_refuse(&queue).await;
    Ok(())
}

#[test]
fn shutdown_nonempty() {
    play(shutdown_nonempty_of(Rc::new(Queue::new(1))));
    play(shutdown_nonempty_of(Rc::new(LifoQueue::new(1))));
    play(shutdown_nonempty_of(Rc::new(PriorityQueue::new(1))));
}

async fn shutdown_nonempty_of<I: QueueItems<i32> + 'static>(queue: Of<I>) -> Result<()> {
    queue.put_nowait(1)?;
    let join = start_join(&queue);
    let putters = [2, 3].map(|item| {
        let queue = Rc::clone(&queue);
        start(async move { queue.put(item).await })
    });
    ticks(1).await;
    assert!(putters.iter().all(|putter| !putter.done()));
    queue.shutdown(false);
    assert_eq!(queue.qsize(), 1);
    ticks(1).await;
    for putter in putters {
        assert!(is_shut_down(putter.result()));
    }
    assert_eq!(queue.get().await?, 1);
    ticks(1).await;
    assert!(!join.done());
    assert_all_refuse(&queue).await;
    queue.task_done()?;
    ticks(1).await;
    assert!(join.done());
    assert_no_more_are_done(&queue);
    Ok(())
}

#[test]
fn shutdown_immediate() {
    play(shutdown_immediate_of(Rc::new(Queue::new(0))));
    play(shutdown_immediate_of(Rc::new(LifoQueue::new(0))));
    play(shutdown_immediate_of(Rc::new(PriorityQueue::new(0))));
}

async fn shutdown_immediate_of<I: QueueItems<i32> + 'static>(queue: Of<I>) -> Result<()> {
    queue.put_nowait(1)?;
    let join = start_join(&queue);
    ticks(1).await;
    queue.shutdown(true);
    assert_eq!(queue.qsize(), 0);
    ticks(1).await;
    assert!(join.done());
    assert_all_refuse(&queue).await;
    assert_no_more_are_done(&queue);
    Ok(())
}

#[test]
fn shutdown_immediate_with_unfinished() {
    play(shutdown_with_unfinished_of(Rc::new(Queue::new(0))));
    play(shutdown_with_unfinished_of(Rc::new(LifoQueue::new(0))));
    play(shutdown_with_unfinished_of(Rc::new(PriorityQueue::new(0))));
}

async fn shutdown_with_unfinished_of<I: QueueItems<i32> + 'static>(queue: Of<I>) -> Result<()> {
    queue.put_nowait(1)?;
    queue.put_nowait(1)?;
    let join = start_join(&queue);
    ticks(1).await;
    assert_eq!(queue.get().await?, 1);
    queue.shutdown(true);
    assert_eq!(queue.qsize(), 0);
    ticks(1).await;
    assert!(!join.done());
    assert_all_refuse(&queue).await;
    queue.task_done()?;
    assert_no_more_are_done(&queue);
    ticks(1).await;
    assert!(join.done());
    Ok(())
}

/// An item's destructor can use the queue, even in the middle of a shutdown.
#[test]
fn the_destructor_of_an_item_uses_the_queue() {
    struct Looks(Rc<Queue<Looks>>, Rc<Cell<usize>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.1.set(self.1.get() + 10 + self.0.qsize());
        }
    }
    let (queue, seen) = (Rc::new(Queue::new(2)), Rc::new(Cell::new(0)));
    let item = || Looks(Rc::clone(&queue), Rc::clone(&seen));
    queue.put_nowait(item()).unwrap();
    queue.put_nowait(item()).unwrap();
    assert_eq!(refusal(queue.put_nowait(item())), Some(SyncError::QueueFull));
    assert_eq!(seen.get(), 12);
    queue.shutdown(true);
    assert_eq!(seen.get(), 12 + 10 + 10, "the items are gone before any is dropped");
    assert!(is_shut_down(queue.put_nowait(item())));
    assert_eq!(seen.get(), 12 + 10 + 10 + 10);
}

/// Panics when it's dropped, if its field is true.
struct Panics(bool);

impl Drop for Panics {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new("an item"));
        }
    }
}

#[test]
fn an_item_whose_destructor_panics_spares_the_others_and_those_who_wait() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let reports = reports_of(&event_loop);
    let is_refused = event_loop.run(async {
        let queue = Rc::new(Queue::new(2));
        queue.put_nowait(Panics(true))?;
        queue.put_nowait(Panics(true))?;
        let [joins, puts] = [(); 2].map(|()| Rc::clone(&queue));
        let join = start(async move { joins.join().await });
        let put = start(async move { puts.put(Panics(false)).await });
        ticks(1).await;
        queue.shutdown(true);
        join.await?;
        Ok(is_shut_down(put.await))
    });
    assert!(is_refused.unwrap());
    assert_eq!(*reports.borrow(), ["Exception in a destructor: panicked: an item"; 2]);
}
