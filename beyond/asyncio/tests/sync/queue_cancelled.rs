//! Queues whose waits are cancelled: no item is lost, and no room. From CPython's `test_queues.py`,
//! under its names.

use crate::support::{Numbers, is_cancelled, play, start_get, start_put, ticks};
use asyncio::Queue;

#[test]
fn get_cancelled_race() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let (first, second) = (start_get(&queue), start_get(&queue));
        ticks(1).await;
        first.cancel();
        ticks(1).await;
        assert!(first.done());
        queue.put(7).await?;
        ticks(1).await;
        assert_eq!(second.result()?, 7);
        Ok(())
    });
}

/// Another task gets the item of the cancelled task.
#[test]
fn get_cancel_drop_many_pending_readers() {
    play(async {
        let queue = Numbers::new(Queue::new(0));
        let readers = [start_get(&queue), start_get(&queue), start_get(&queue)];
        ticks(1).await;
        queue.put_nowait(1)?;
        queue.put_nowait(2)?;
        readers[0].cancel();
        let [first, second, third] = readers;
        assert!(is_cancelled(&first.await));
        assert_eq!((second.await?, third.await?), (1, 2));
        Ok(())
    });
}

#[test]
fn put_cancel_drop() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        queue.put_nowait(1)?;
        let writer = start_put(&queue, 2);
        ticks(1).await;
        assert_eq!(queue.get_nowait()?, 1);
        writer.cancel();
        assert!(is_cancelled(&writer.await));
        queue.put(3).await?;
        assert_eq!((queue.get_nowait()?, queue.qsize()), (3, 0));
        Ok(())
    });
}

/// Room that a cancelled task was woken for goes to the next task in line.
#[test]
fn put_cancelled_race() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        queue.put_nowait(0)?;
        let [first, second] = [1, 2].map(|item| start_put(&queue, item));
        ticks(1).await;
        assert_eq!(queue.get_nowait()?, 0);
        first.cancel();
        ticks(1).await;
        assert!(first.cancelled() && !second.done());
        ticks(1).await;
        assert!(second.done());
        assert_eq!(queue.get_nowait()?, 2);
        Ok(())
    });
}

/// The task is cancelled after its wake-up and before its step.
#[test]
fn cancelled_put_silence_value_error_exception() {
    play(async {
        let queue = Numbers::new(Queue::new(1));
        queue.put_nowait(1)?;
        let task = start_put(&queue, 2);
        ticks(1).await;
        queue.get_nowait()?;
        task.cancel();
        assert!(is_cancelled(&task.await));
        assert!(queue.empty());
        Ok(())
    });
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
