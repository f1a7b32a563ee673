//! Semaphores: `SemaphoreTests` of CPython's `test_locks.py`, under its names.

use std::rc::Rc;
use std::time::Duration;

use crate::support::{Log, is_cancelled, play, refusal, start, ticks};
use asyncio::{BoundedSemaphore, Semaphore, SyncError, Task, create_task, sleep, yield_now};
use kit::cost::{cpu_time_of, growth};

fn start_acquire(semaphore: &Rc<Semaphore>, log: &Log, value: i32) -> Task<()> {
    let (semaphore, log) = (Rc::clone(semaphore), log.clone());
    start(async move {
        semaphore.acquire().await?;
        log.say(value);
        Ok(())
    })
}

#[test]
fn initial_value_zero() {
    assert!(Semaphore::new(0).locked());
    assert!(!Semaphore::new(1).locked());
}

#[test]
fn acquire() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(3)), Log::default());
        semaphore.acquire().await?;
        semaphore.acquire().await?;
        assert!(!semaphore.locked());
        for value in 1..=3 {
            start_acquire(&semaphore, &log, value);
        }
        ticks(1).await;
        log.assert_is(&[1]);
        assert!(semaphore.locked());
        let fourth = start_acquire(&semaphore, &log, 4);
        semaphore.release();
        semaphore.release();
        ticks(1).await;
        log.assert_is(&[1, 2, 3]);
        assert!(semaphore.locked());
        semaphore.release();
        fourth.await
    });
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

#[test]
fn acquire_hang() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        let first = start_acquire(&semaphore, &log, 1);
        start_acquire(&semaphore, &log, 2);
        ticks(1).await;
        first.cancel();
        semaphore.release();
        ticks(2).await;
        assert!(semaphore.locked());
        log.assert_is(&[2]);
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

/// A task that comes after the release, but before the step of the woken task, can't take the
/// permit.
#[test]
fn a_newcomer_does_not_snatch_a_permit() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        start_acquire(&semaphore, &log, 1);
        ticks(1).await;
        start_acquire(&semaphore, &log, 2);
        semaphore.release();
        assert!(semaphore.locked());
        ticks(2).await;
        log.assert_is(&[1]);
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

#[test]
fn release_no_waiters() {
    play(async {
        let semaphore = Semaphore::new(1);
        semaphore.acquire().await?;
        assert!(semaphore.locked());
        semaphore.release();
        assert!(!semaphore.locked());
        let held = semaphore.hold().await?;
        held.release()?;
        semaphore.acquire().await?;
        assert!(semaphore.locked(), "the guard has released it once");
        Ok(())
    });
}

#[test]
fn acquire_fifo_order() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(1)), Log::default());
        let tasks: Vec<_> = (1..=3)
            .map(|tag| {
                let (semaphore, log) = (Rc::clone(&semaphore), log.clone());
                start(async move {
                    for turn in 1..=2 {
                        semaphore.acquire().await?;
                        log.say(10 * turn + tag);
                        sleep(Duration::from_millis(1)).await?;
                        semaphore.release();
                    }
                    Ok(())
                })
            })
            .collect();
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[11, 12, 13, 21, 22, 23]);
        Ok(())
    });
}

#[test]
fn acquire_fifo_order_2() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(1)), Log::default());
        start_acquire(&semaphore, &log, 1);
        let (inner, said) = (Rc::clone(&semaphore), log.clone());
        let twice = start(async move {
            inner.acquire().await?;
            said.say(2);
            inner.release();
            inner.acquire().await?;
            said.say(4);
            Ok(())
        });
        start_acquire(&semaphore, &log, 3);
        ticks(1).await;
        semaphore.release();
        semaphore.release();
        twice.await?;
        log.assert_is(&[1, 2, 3, 4]);
        Ok(())
    });
}

#[test]
fn acquire_fifo_order_3() {
    play(async {
        let (semaphore, log) = (Rc::new(Semaphore::new(0)), Log::default());
        let first = start_acquire(&semaphore, &log, 1);
        start_acquire(&semaphore, &log, 2);
        let third = start_acquire(&semaphore, &log, 3);
        ticks(1).await;
        first.cancel();
        ticks(1).await;
        semaphore.release();
        semaphore.release();
        third.await?;
        log.assert_is(&[2, 3]);
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
