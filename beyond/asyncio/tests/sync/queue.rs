//! Queues: what's refused, and tasks that wait for room; from CPython's `test_queues.py`, under its
//! names. Who gets which item, and when, is in the random programs of `differential`. Those that
//! cancel are in `queue_cancelled.rs`.

use std::rc::Rc;

use crate::support::{Numbers, play, refusal, start, start_put, ticks};
use asyncio::{Queue, SyncError};

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
