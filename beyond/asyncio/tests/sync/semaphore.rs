//! Semaphores: what the random programs of `differential` don't find. They compare with asyncio
//! which task gets a permit, and when. Only CPython 3.13 and later, which CI has, take part in
//! those that cancel a wait or have several permits. Two tests have their names from
//! `SemaphoreTests` in CPython's `test_locks.py`.

use std::rc::Rc;

use crate::support::{Log, is_cancelled, play, refusal, start, ticks};
use asyncio::{BoundedSemaphore, Semaphore, SyncError, Task, create_task};

fn start_acquire(semaphore: &Rc<Semaphore>, log: &Log, value: i32) -> Task<()> {
    let (semaphore, log) = (Rc::clone(semaphore), log.clone());
    start(async move {
        semaphore.acquire().await?;
        log.say(value);
        Ok(())
    })
}

/// A cancelled task that hasn't run since isn't in the way of others.
#[test]
fn acquire_cancel() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(1)), Log::default());
        semaphore.acquire().await?;
        let task = start_acquire(&semaphore, &log, 1);
        ticks(1).await;
        task.cancel();
        semaphore.release();
        assert!(!semaphore.locked());
        assert!(is_cancelled(&task.await));
        assert!(!semaphore.locked());
        Ok(())
    });
}

/// One task that gets its permit wakes all tasks for which there are permits, before a task of the
/// next tick.
#[test]
fn acquire_fifo_order_4() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        let (inner, said) = (Rc::clone(&semaphore), log.clone());
        start(async move {
            inner.acquire().await?;
            let late = said.clone();
            create_task(async move {
                late.say(4);
                Ok(())
            })?;
            said.say(1);
            Ok(())
        });
        let (inner, said) = (Rc::clone(&semaphore), log.clone());
        start(async move {
            (0..3).for_each(|_| inner.release());
            assert!(inner.locked(), "the first one hasn't run yet");
            inner.acquire().await?;
            said.say(2);
            Ok(())
        });
        start_acquire(&semaphore, &log, 3);
        ticks(4).await;
        log.assert_is(&[1, 2, 3, 4]);
        Ok(())
    });
}

#[test]
fn a_semaphore_with_more_permits_than_anybody_can_count_can_be_released() {
    play(async {
        let semaphore = Semaphore::new(usize::MAX);
        semaphore.release();
        assert!(!semaphore.locked());
        semaphore.acquire().await?;
        semaphore.hold().await?.release()?;
        semaphore.release();
        semaphore.release();
        assert!(!semaphore.locked());
        let bounded = BoundedSemaphore::new(usize::MAX);
        assert_eq!(refusal(bounded.release()), Some(SyncError::ReleasedTooManyTimes));
        bounded.acquire().await?;
        bounded.release()
    });
}
