//! Queues: what's refused, and tasks that are cancelled although they have no item. Who gets which
//! item, and when, is in the random programs of `differential`.

use crate::support::{Numbers, play, refusal, start_get, ticks};
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
fn nonblocking_exceptions() {
    let queue = Queue::new(1);
    assert_eq!(refusal(queue.get_nowait()), Some(SyncError::QueueEmpty));
    queue.put_nowait(1).unwrap();
    assert_eq!(refusal(queue.put_nowait(2)), Some(SyncError::QueueFull));
    assert_eq!((queue.get_nowait().unwrap(), queue.qsize()), (1, 0));
}

/// The item for which a task was woken was taken before the task ran. If the task is cancelled
/// then, it wakes no other task, which would find no item and lose its place in the line.
#[test]
fn get_cancelled_when_the_item_is_gone() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let [first, second, third] = [(); 3].map(|()| start_get(&queue));
        ticks(1).await;
        queue.put_nowait(1)?;
        assert_eq!(queue.get_nowait()?, 1);
        first.cancel();
        ticks(3).await;
        assert!(first.cancelled());
        queue.put_nowait(2)?;
        queue.put_nowait(3)?;
        assert_eq!((second.await?, third.await?), (2, 3));
        Ok(())
    });
}

/// A task that's cancelled while it waits wakes no other task: the item goes to the task that was
/// woken for it.
#[test]
fn get_cancelled_while_another_has_the_item() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let [first, second, third, fourth] = [(); 4].map(|()| start_get(&queue));
        ticks(1).await;
        second.cancel();
        queue.put_nowait(1)?;
        ticks(3).await;
        assert!(second.cancelled());
        assert_eq!(first.result()?, 1);
        queue.put_nowait(3)?;
        queue.put_nowait(4)?;
        assert_eq!((third.await?, fourth.await?), (3, 4));
        Ok(())
    });
}
