//! Conditions: `ConditionTests` of CPython's `test_locks.py`, under its names. The tests that
//! cancel are in `condition_cancelled.rs`.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::{Log, play, refusal, start, ticks};
use asyncio::{Condition, EventLoop, Lock, SyncError, Task};
use kit::limit_time;

fn start_wait(condition: &Rc<Condition>, log: &Log, value: i32) -> Task<()> {
    let (condition, log) = (Rc::clone(condition), log.clone());
    start(async move {
        condition.hold().await?.wait().await?;
        log.say(value);
        Ok(())
    })
}

/// A notified task continues once it has the lock, and no two tasks have it at a time.
#[test]
fn wait() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        for value in 1..=3 {
            let (condition, log) = (Rc::clone(&condition), log.clone());
            start(async move {
                let mut held = condition.hold().await?;
                held.wait().await?;
                log.say(value);
                ticks(1).await;
                log.say(10 * value);
                Ok(())
            });
        }
        ticks(1).await;
        assert!(!condition.locked());
        let held = condition.hold().await?;
        held.notify(2)?;
        ticks(2).await;
        log.assert_is(&[]);
        assert!(condition.locked());
        held.release()?;
        ticks(5).await;
        log.assert_is(&[1, 10, 2, 20]);
        condition.hold().await?.notify(1)?;
        ticks(3).await;
        log.assert_is(&[1, 10, 2, 20, 3, 30]);
        Ok(())
    });
}

#[test]
fn wait_unacquired() {
    play(async {
        let lock = Rc::new(Lock::new());
        let condition = Condition::with_lock(Rc::clone(&lock));
        let mut held = condition.hold().await?;
        lock.release()?;
        let outcome = held.wait().await;
        let text = outcome.as_ref().unwrap_err().to_string();
        assert_eq!(text, "cannot wait on un-acquired lock");
        assert_eq!(refusal(outcome), Some(SyncError::WaitOnUnacquiredLock));
        assert_eq!(refusal(held.release()), Some(SyncError::LockNotAcquired));
        Ok(())
    });
}

#[test]
fn wait_for() {
    play(async {
        let (condition, is_there) = (Rc::new(Condition::new()), Rc::new(Cell::new(false)));
        let asked = Rc::new(Cell::new(0));
        let (inner, there, count) =
            (Rc::clone(&condition), Rc::clone(&is_there), Rc::clone(&asked));
        let task = start(async move {
            let mut held = inner.hold().await?;
            held.wait_for(|| {
                count.set(count.get() + 1);
                there.get()
            })
            .await
        });
        ticks(1).await;
        assert_eq!(asked.get(), 1);
        condition.hold().await?.notify(1)?;
        ticks(3).await;
        assert_eq!(asked.get(), 2);
        assert!(!task.done());
        is_there.set(true);
        condition.hold().await?.notify(1)?;
        task.await?;
        assert_eq!(asked.get(), 3);
        Ok(())
    });
}

/// A predicate that's true at once needs no wait and so no lock.
#[test]
fn wait_for_unacquired() {
    play(async {
        let lock = Rc::new(Lock::new());
        let condition = Condition::with_lock(Rc::clone(&lock));
        let mut held = condition.hold().await?;
        lock.release()?;
        held.wait_for(|| true).await?;
        let outcome = held.wait_for(|| false).await;
        assert_eq!(refusal(outcome), Some(SyncError::WaitOnUnacquiredLock));
        Ok(())
    });
}

#[test]
fn notify() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        let tasks: Vec<_> = (1..=3).map(|value| start_wait(&condition, &log, value)).collect();
        ticks(1).await;
        log.assert_is(&[]);
        condition.hold().await?.notify(1)?;
        ticks(1).await;
        log.assert_is(&[1]);
        let held = condition.hold().await?;
        held.notify(1)?;
        held.notify(2048)?;
        held.release()?;
        ticks(1).await;
        log.assert_is(&[1, 2, 3]);
        assert!(tasks.iter().all(|task| task.done()));
        Ok(())
    });
}

#[test]
fn notify_nobody() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        start_wait(&condition, &log, 1);
        ticks(1).await;
        condition.hold().await?.notify(0)?;
        ticks(3).await;
        log.assert_is(&[]);
        Ok(())
    });
}

#[test]
fn notify_all() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        start_wait(&condition, &log, 1);
        start_wait(&condition, &log, 2);
        ticks(1).await;
        condition.hold().await?.notify_all()?;
        // A task that comes after the call waits for the next call.
        start_wait(&condition, &log, 3);
        ticks(4).await;
        log.assert_is(&[1, 2]);
        Ok(())
    });
}

#[test]
fn notify_unacquired_and_notify_all_unacquired() {
    play(async {
        let lock = Rc::new(Lock::new());
        let condition = Condition::with_lock(Rc::clone(&lock));
        let held = condition.hold().await?;
        lock.release()?;
        let outcome = held.notify(1);
        let text = outcome.as_ref().unwrap_err().to_string();
        assert_eq!(text, "cannot notify on un-acquired lock");
        assert_eq!(refusal(outcome), Some(SyncError::NotifyOnUnacquiredLock));
        assert_eq!(refusal(held.notify_all()), Some(SyncError::NotifyOnUnacquiredLock));
        Ok(())
    });
}

#[test]
fn explicit_lock() {
    play(async {
        let lock = Rc::new(Lock::new());
        let condition = Condition::with_lock(Rc::clone(&lock));
        let held = condition.hold().await?;
        assert!(lock.locked() && condition.locked());
        drop(held);
        assert!(!lock.locked() && !condition.locked());
        let held = lock.hold().await?;
        assert!(lock.locked() && condition.locked());
        drop(held);
        assert!(!lock.locked() && !condition.locked());
        Ok(())
    });
}

/// The wait couldn't take the lock again, so it doesn't release the lock either.
#[test]
fn a_wait_with_the_lock_of_another_loop_is_refused_and_keeps_the_lock() {
    limit_time();
    let lock = Rc::new(Lock::new());
    let other = EventLoop::new().unwrap();
    let waited_for = Rc::clone(&lock);
    let wait = async move {
        waited_for.acquire().await?;
        let waits = start(async move { waited_for.acquire().await });
        ticks(1).await;
        waits.cancel();
        Ok(waits.await.is_err())
    };
    assert!(other.run_until_complete(wait).unwrap(), "now it's the lock of that loop");
    other.close().unwrap();
    lock.release().unwrap();
    play(async move {
        let condition = Condition::with_lock(lock);
        let mut held = condition.hold().await?;
        assert_eq!(refusal(held.wait().await), Some(SyncError::BoundToAnotherLoop));
        assert!(condition.locked());
        held.notify_all()?;
        held.release()
    });
}
