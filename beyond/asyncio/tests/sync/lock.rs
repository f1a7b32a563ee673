//! Locks: `LockTests` of CPython's `test_locks.py`, under its names.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::{Log, is_cancelled, play, refusal, start, ticks};
use asyncio::{Held, Holdings, Lock, Result, SyncError, Task, get_running_loop};

fn start_acquire(lock: &Rc<Lock>) -> Task<()> {
    let lock = Rc::clone(lock);
    start(async move { lock.acquire().await })
}

fn start_acquire_and_say(lock: &Rc<Lock>, log: &Log, value: i32) -> Task<()> {
    let (lock, log) = (Rc::clone(lock), log.clone());
    start(async move {
        lock.acquire().await?;
        log.say(value);
        Ok(())
    })
}

#[test]
fn lock() {
    play(async {
        let lock = Lock::new();
        assert!(!lock.locked());
        lock.acquire().await?;
        assert!(lock.locked());
        lock.release()?;
        assert!(!lock.locked());
        Ok(())
    });
}

#[test]
fn a_free_lock_costs_no_tick() {
    play(async {
        let log = Log::default();
        let inner = log.clone();
        get_running_loop()?.call_soon(move || inner.say(2));
        let lock = Lock::new();
        lock.acquire().await?;
        log.say(1);
        ticks(1).await;
        log.assert_is(&[1, 2]);
        Ok(())
    });
}

#[test]
fn acquire() {
    play(async {
        let (lock, log) = (Rc::new(Lock::new()), Log::default());
        lock.acquire().await?;
        let first = start_acquire_and_say(&lock, &log, 1);
        let second = start_acquire_and_say(&lock, &log, 2);
        ticks(1).await;
        log.assert_is(&[]);
        lock.release()?;
        ticks(1).await;
        log.assert_is(&[1]);
        ticks(1).await;
        log.assert_is(&[1]);
        let third = start_acquire_and_say(&lock, &log, 3);
        lock.release()?;
        ticks(1).await;
        log.assert_is(&[1, 2]);
        lock.release()?;
        ticks(1).await;
        log.assert_is(&[1, 2, 3]);
        assert!(first.done() && second.done() && third.done());
        Ok(())
    });
}

#[test]
fn acquire_cancel() {
    play(async {
        let lock = Rc::new(Lock::new());
        lock.acquire().await?;
        let task = start_acquire(&lock);
        let inner = task.clone();
        get_running_loop()?.call_soon(move || {
            inner.cancel();
        });
        assert!(is_cancelled(&task.await));
        lock.release()?;
        assert!(!lock.locked());
        lock.acquire().await
    });
}

#[test]
fn a_newcomer_does_not_queue_behind_tasks_that_are_all_cancelled() {
    play(async {
        let lock = Rc::new(Lock::new());
        lock.acquire().await?;
        let cancelled = start_acquire(&lock);
        ticks(1).await;
        cancelled.cancel();
        lock.release()?;
        let log = Log::default();
        let inner = log.clone();
        get_running_loop()?.call_soon(move || inner.say(2));
        lock.acquire().await?;
        log.say(1);
        ticks(1).await;
        log.assert_is(&[1, 2]);
        Ok(())
    });
}

async fn lock_it(lock: Rc<Lock>, blocker: Option<asyncio::Future<()>>) -> Result<()> {
    lock.acquire().await?;
    let outcome = match blocker {
        Some(blocker) => blocker.await,
        None => Ok(()),
    };
    lock.release()?;
    outcome
}

/// A releases while B, the first in the line, is cancelled and hasn't run since: C gets the lock.
#[test]
fn cancel_race() {
    play(async {
        let lock = Rc::new(Lock::new());
        let blocker = get_running_loop()?.create_future();
        let a = start(lock_it(Rc::clone(&lock), Some(blocker.clone())));
        ticks(1).await;
        assert!(lock.locked());
        let b = start(lock_it(Rc::clone(&lock), None));
        let c = start(lock_it(Rc::clone(&lock), None));
        ticks(1).await;
        blocker.set_result(())?;
        b.cancel();
        ticks(1).await;
        assert!(!lock.locked());
        assert!(a.done() && b.cancelled() && !c.done());
        c.await
    });
}

/// Two tasks must not get the lock at once when the first is cancelled as the lock is released.
#[test]
fn cancel_release_race() {
    play(async {
        let lock = Rc::new(Lock::new());
        let (calls, locks) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        lock.acquire().await?;
        let mut tasks = Vec::new();
        for _ in 0..3 {
            let (lock, calls, locks) = (Rc::clone(&lock), Rc::clone(&calls), Rc::clone(&locks));
            tasks.push(start(async move {
                calls.set(calls.get() + 1);
                lock.acquire().await?;
                locks.set(locks.get() + 1);
                Ok(())
            }));
        }
        ticks(1).await;
        let (inner, first) = (Rc::clone(&lock), tasks[0].clone());
        get_running_loop()?.call_soon(move || {
            first.cancel();
            inner.release().unwrap();
        });
        assert!(is_cancelled(&tasks[0].clone().await));
        assert_eq!((calls.get(), locks.get()), (3, 1));
        assert!(tasks[0].cancelled() && tasks[1].done());
        tasks[2].cancel();
        ticks(1).await;
        assert!(tasks[2].cancelled());
        Ok(())
    });
}

/// A woken task that's cancelled before its step wakes the next task.
#[test]
fn finished_waiter_cancelled() {
    for cancel_first in [true, false] {
        play(async move {
            let lock = Rc::new(Lock::new());
            lock.acquire().await?;
            let (b, c) = (start_acquire(&lock), start_acquire(&lock));
            ticks(1).await;
            if cancel_first {
                b.cancel();
                lock.release()?;
            } else {
                lock.release()?;
                b.cancel();
            }
            ticks(1).await;
            assert!(b.cancelled() && !c.done());
            ticks(1).await;
            assert!(lock.locked() && c.done());
            Ok(())
        });
    }
}

#[test]
fn release_not_acquired() {
    let outcome = Lock::new().release();
    assert_eq!(outcome.as_ref().unwrap_err().to_string(), "Lock is not acquired.");
    assert_eq!(refusal(outcome), Some(SyncError::LockNotAcquired));
}

#[test]
fn context_manager() {
    play(async {
        let lock = Lock::new();
        {
            let _held = lock.hold().await?;
            assert!(lock.locked());
        }
        assert!(!lock.locked());
        let held = lock.hold().await?;
        assert_eq!(format!("{held:?}"), "Held");
        held.release()?;
        assert!(!lock.locked());
        Ok(())
    });
}

#[test]
fn what_is_held_has_a_name_here_whether_it_is_a_lock_or_all_that_a_loop_has() {
    play(async {
        let lock = Lock::new();
        let _held: Held<'_> = lock.hold().await?;
        let holdings: Holdings = get_running_loop()?.held();
        assert_eq!(holdings.tasks, 1);
        Ok(())
    });
}

#[test]
fn a_guard_releases_when_its_task_is_cancelled() {
    play(async {
        let lock = Rc::new(Lock::new());
        let inner = Rc::clone(&lock);
        let task = start::<()>(async move {
            let _held = inner.hold().await?;
            get_running_loop()?.create_future().await
        });
        ticks(1).await;
        assert!(lock.locked());
        task.cancel();
        assert!(is_cancelled(&task.await));
        assert!(!lock.locked());
        Ok(())
    });
}

#[test]
fn a_guard_of_a_lock_that_was_released_says_so_or_is_silent() {
    play(async {
        let lock = Lock::new();
        let held = lock.hold().await?;
        lock.release()?;
        assert_eq!(refusal(held.release()), Some(SyncError::LockNotAcquired));
        let held = lock.hold().await?;
        lock.release()?;
        drop(held);
        assert!(!lock.locked());
        Ok(())
    });
}
