//! Conditions whose waits are cancelled: the lock is locked again all the same, and a notification
//! isn't lost. From CPython's `test_locks.py`, under its names.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::{Log, is_cancelled, play, start, ticks};
use asyncio::{Condition, Error, Result, Task};

/// Waits, notes whether it has the lock, whatever the outcome of the wait, and returns that
/// outcome.
fn start_wait(condition: &Rc<Condition>, log: &Log, value: i32) -> Task<()> {
    let (condition, log) = (Rc::clone(condition), log.clone());
    start(async move {
        let mut held = condition.hold().await?;
        let outcome = held.wait().await;
        assert!(condition.locked());
        log.say(if outcome.is_ok() { value } else { -value });
        outcome
    })
}

fn message<T>(outcome: &Result<T>) -> Option<&str> {
    match outcome {
        Err(Error::Cancelled(message)) => message.as_deref(),
        _ => None,
    }
}

/// While another task holds the lock, a task that's cancelled waits for the lock before it fails.
#[test]
fn wait_cancel_contested() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        let task = start_wait(&condition, &log, 1);
        ticks(1).await;
        let held = condition.hold().await?;
        task.cancel();
        ticks(3).await;
        assert!(!task.done());
        task.cancel();
        ticks(3).await;
        assert!(!task.done(), "it's cancelled twice, and still waits for the lock");
        held.release()?;
        assert!(is_cancelled(&task.await));
        log.assert_is(&[-1]);
        Ok(())
    });
}

/// A notified task that's cancelled while it waits for the lock passes the notification on.
#[test]
fn wait_cancel_after_notify() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        let first = start_wait(&condition, &log, 1);
        let second = start_wait(&condition, &log, 2);
        ticks(1).await;
        let held = condition.hold().await?;
        held.notify(1)?;
        ticks(1).await;
        first.cancel();
        held.release()?;
        assert!(is_cancelled(&first.await));
        second.await?;
        log.assert_is(&[-1, 2]);
        Ok(())
    });
}

/// Of several cancellations, the last one comes out.
#[test]
fn cancelled_error_re_aquire() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        let task = start_wait(&condition, &log, 1);
        ticks(1).await;
        let held = condition.hold().await?;
        held.notify(1)?;
        ticks(1).await;
        task.cancel_with("foo");
        ticks(1).await;
        task.cancel_with("bar");
        held.release()?;
        assert_eq!(message(&task.await), Some("bar"));
        Ok(())
    });
}

fn start_consumer(condition: &Rc<Condition>, state: &Rc<Cell<i32>>) -> Task<()> {
    let (condition, state) = (Rc::clone(condition), Rc::clone(state));
    start(async move {
        let mut held = condition.hold().await?;
        loop {
            held.wait_for(|| state.get() != 0).await?;
            if state.get() < 0 {
                return Ok(());
            }
            state.set(state.get() - 1);
        }
    })
}

/// A task is cancelled at the moment at which it's notified, or while it waits for the lock:
/// another task consumes the item.
#[test]
fn cancelled_wakeup_and_cancelled_wakeup_relock() {
    for waits_for_the_lock in [false, true] {
        play(async move {
            let (condition, state) = (Rc::new(Condition::new()), Rc::new(Cell::new(0)));
            let first = start_consumer(&condition, &state);
            let second = start_consumer(&condition, &state);
            ticks(1).await;
            let held = condition.hold().await?;
            state.set(1);
            held.notify(1)?;
            if waits_for_the_lock {
                ticks(1).await;
            }
            first.cancel();
            held.release()?;
            ticks(5).await;
            assert_eq!(state.get(), 0);
            state.set(-1);
            condition.hold().await?.notify_all()?;
            second.await
        });
    }
}

/// As in CPython, a cancelled task passes on a notification that it hasn't had: the other task is
/// woken for nothing.
#[test]
fn a_cancelled_wait_wakes_another_for_nothing() {
    play(async {
        let (condition, log) = (Rc::new(Condition::new()), Log::default());
        let first = start_wait(&condition, &log, 1);
        start_wait(&condition, &log, 2);
        ticks(1).await;
        first.cancel();
        ticks(3).await;
        log.assert_is(&[-1, 2]);
        Ok(())
    });
}
