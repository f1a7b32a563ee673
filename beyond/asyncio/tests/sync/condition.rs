//! Conditions: what's refused, and which cancellation comes out of a wait. The random programs of
//! `differential` show who's notified, and when. Only CPython 3.13 and later, which CI has, take
//! part in those that cancel a wait.

use std::rc::Rc;

use crate::support::{play, refusal, start, ticks};
use asyncio::{Condition, EventLoop, Lock, SyncError};
use kit::limit_time;

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

/// A predicate that's true at once needs no wait, and so no lock.
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

/// Of several cancellations, the last one comes out.
#[test]
fn cancelled_error_re_aquire() {
    play(async {
        let condition = Rc::new(Condition::new());
        let waited_for = Rc::clone(&condition);
        let task = start(async move { waited_for.hold().await?.wait().await });
        ticks(1).await;
        let held = condition.hold().await?;
        held.notify(1)?;
        ticks(1).await;
        task.cancel_with("foo");
        ticks(1).await;
        task.cancel_with("bar");
        held.release()?;
        assert_eq!(task.await.unwrap_err().to_string(), "cancelled: bar");
        Ok(())
    });
}
