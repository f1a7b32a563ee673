//! Semaphores: cancelled waits and several permits at once. CPython before 3.13 differs in them.
//! The tests are from `SemaphoreTests` in its `test_locks.py` and have its names. The random
//! programs of `differential` compare with asyncio which task gets the only permit of a semaphore,
//! and when.

use std::rc::Rc;

use crate::support::{Log, is_cancelled, play, refusal, start, ticks};
use asyncio::{BoundedSemaphore, Semaphore, SyncError, Task, create_task, yield_now};
use kit::cost::{cpu_time_of, growth};

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

#[test]
fn acquire_cancel_before_awoken() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        let tasks: Vec<_> = (1..=4).map(|value| start_acquire(&semaphore, &log, value)).collect();
        ticks(1).await;
        tasks[0].cancel();
        tasks[1].cancel();
        semaphore.release();
        ticks(2).await;
        log.assert_is(&[3]);
        Ok(())
    });
}

/// The task got the permit before its cancellation: the permit goes to the next task, or back.
#[test]
fn acquire_no_hang() {
    play(async {
        let semaphore = Rc::new(Semaphore::new(1));
        let inner = Rc::clone(&semaphore);
        let waits = Rc::clone(&semaphore);
        let second = create_task(async move {
            yield_now().await?;
            let _held = waits.hold().await?;
            unreachable!("it's cancelled first");
        })?;
        let cancelled: Task<()> = second.clone();
        let first = create_task(async move {
            let held = inner.hold().await?;
            ticks(2).await;
            drop(held);
            cancelled.cancel();
            Ok(())
        })?;
        first.await?;
        assert!(is_cancelled(&second.await));
        assert!(!semaphore.locked());
        semaphore.acquire().await
    });
}

#[test]
fn a_permit_of_a_cancelled_task_goes_to_the_next_one() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        let first = start_acquire(&semaphore, &log, 1);
        start_acquire(&semaphore, &log, 2);
        ticks(1).await;
        semaphore.release();
        first.cancel();
        ticks(1).await;
        log.assert_is(&[]);
        ticks(1).await;
        log.assert_is(&[2]);
        Ok(())
    });
}

#[test]
fn release_not_acquired() {
    let outcome = BoundedSemaphore::new(1).release();
    let text = outcome.as_ref().unwrap_err().to_string();
    assert_eq!(text, "BoundedSemaphore released too many times");
    assert_eq!(refusal(outcome), Some(SyncError::ReleasedTooManyTimes));
}

#[test]
fn a_bounded_semaphore_is_a_semaphore() {
    play(async {
        let semaphore = BoundedSemaphore::new(2);
        let held = semaphore.hold().await?;
        semaphore.acquire().await?;
        assert!(semaphore.locked());
        semaphore.release()?;
        drop(held);
        assert!(!semaphore.locked());
        assert_eq!(refusal(semaphore.release()), Some(SyncError::ReleasedTooManyTimes));
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

/// A line of cancelled waits is searched once, and not once for each of them.
#[test]
fn a_cancelled_wait_costs_the_same_however_many_are_cancelled_with_it() {
    let cost = |count: usize| {
        let cancel_all = || {
            play(async move {
                let semaphore = Rc::new(Semaphore::new(1));
                semaphore.acquire().await?;
                let log = Log::default();
                let tasks: Vec<_> =
                    (0..count).map(|_| start_acquire(&semaphore, &log, 0)).collect();
                ticks(1).await;
                for task in &tasks {
                    assert!(task.cancel());
                }
                semaphore.release();
                ticks(3).await;
                assert!(tasks.iter().all(|task| task.cancelled()));
                Ok(())
            });
        };
        cpu_time_of(cancel_all).unwrap().1
    };
    let grows = growth((1000, 16_000), cost);
    assert!(grows < 80.0, "by a factor of {grows}");
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
