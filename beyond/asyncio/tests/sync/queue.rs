//! Queues: the basic, the get and the put tests of CPython's `test_queues.py`, under its names. The
//! tests that cancel are in `queue_cancelled.rs`.

use std::rc::Rc;

use crate::support::{Log, Numbers, play, refusal, start, start_get, start_put, ticks};
use asyncio::{LifoQueue, PriorityQueue, Queue, SyncError, get_running_loop};

#[test]
fn empty_and_full() {
    let queue = Queue::new(0);
    assert!(queue.empty());
    queue.put_nowait(1).unwrap();
    assert!(!queue.empty() && !queue.full());
    assert_eq!((queue.get_nowait().unwrap(), queue.empty()), (1, true));
    let queue = Queue::new(2);
    queue.put_nowait(1).unwrap();
    assert!(!queue.full());
    queue.put_nowait(2).unwrap();
    assert!(queue.full());
    assert_eq!((queue.qsize(), queue.maxsize()), (2, 2));
}

#[test]
fn order() {
    let (first_in, last_in, smallest) = (Queue::new(0), LifoQueue::new(0), PriorityQueue::new(0));
    for item in [1, 3, 2] {
        first_in.put_nowait(item).unwrap();
        last_in.put_nowait(item).unwrap();
        smallest.put_nowait(item).unwrap();
    }
    assert_eq!([(); 3].map(|()| first_in.get_nowait().unwrap()), [1, 3, 2]);
    assert_eq!([(); 3].map(|()| last_in.get_nowait().unwrap()), [2, 3, 1]);
    assert_eq!([(); 3].map(|()| smallest.get_nowait().unwrap()), [1, 2, 3]);
}

#[test]
fn maxsize() {
    play(async {
        let (queue, log) = (Rc::new(Queue::new(2)), Log::default());
        let (inner, put) = (Rc::clone(&queue), log.clone());
        let task = start(async move {
            for item in 0..3 {
                inner.put(item).await?;
                put.say(item);
            }
            Ok(())
        });
        ticks(2).await;
        log.assert_is(&[0, 1]);
        assert_eq!(queue.get().await?, 0);
        ticks(1).await;
        log.assert_is(&[0, 1, 2]);
        assert_eq!((queue.get().await?, queue.get().await?), (1, 2));
        assert!(task.done());
        Ok(())
    });
}

#[test]
fn blocking_get_and_put_of_a_queue_with_room_cost_no_tick() {
    play(async {
        let (queue, log) = (Queue::new(1), Log::default());
        let inner = log.clone();
        get_running_loop()?.call_soon(move || inner.say(2));
        queue.put(1).await?;
        log.say(queue.get().await?);
        ticks(1).await;
        log.assert_is(&[1, 2]);
        Ok(())
    });
}

#[test]
fn blocking_get_wait() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let task = start_get(&queue);
        ticks(1).await;
        let inner = Rc::clone(&queue);
        get_running_loop()?.call_soon(move || inner.put_nowait(1).unwrap());
        ticks(1).await;
        assert!(!task.done());
        ticks(1).await;
        assert_eq!(task.result()?, 1);
        Ok(())
    });
}

#[test]
fn blocking_put_wait() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        queue.put_nowait(1)?;
        let task = start_put(&queue, 2);
        ticks(2).await;
        assert!(!task.done());
        assert_eq!(queue.get_nowait()?, 1);
        ticks(1).await;
        assert!(task.done());
        assert_eq!(queue.get_nowait()?, 2);
        Ok(())
    });
}

#[test]
fn nonblocking_exceptions() {
    let queue = Queue::new(1);
    assert_eq!(refusal(queue.get_nowait()), Some(SyncError::QueueEmpty));
    queue.put_nowait(1).unwrap();
    assert_eq!(refusal(queue.put_nowait(2)), Some(SyncError::QueueFull));
    assert_eq!((queue.get_nowait().unwrap(), queue.qsize()), (1, 0));
}

#[test]
fn get_with_waiting_putters() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        start_put(&queue, 1);
        start_put(&queue, 2);
        assert_eq!((queue.get().await?, queue.get().await?), (1, 2));
        Ok(())
    });
}

#[test]
fn why_are_getters_waiting() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        let inner = Rc::clone(&queue);
        let producer = start(async move {
            for item in 0..5 {
                inner.put(item).await?;
            }
            Ok(())
        });
        for item in 0..5 {
            assert_eq!(queue.get().await?, item);
        }
        producer.await
    });
}

#[test]
fn why_are_putters_waiting() {
    play(async {
        let queue = Numbers::new(Queue::new(2));
        let inner = Rc::clone(&queue);
        start(async move {
            ticks(1).await;
            while inner.get_nowait().is_ok() {}
            Ok(())
        });
        for putter in [0, 1, 2, 3].map(|item| start_put(&queue, item)) {
            putter.await?;
        }
        assert_eq!((queue.get_nowait()?, queue.get_nowait()?), (2, 3));
        Ok(())
    });
}

#[test]
fn put_with_waiting_getters() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let task = start_get(&queue);
        ticks(1).await;
        queue.put(1).await?;
        assert_eq!(task.await?, 1);
        Ok(())
    });
}
