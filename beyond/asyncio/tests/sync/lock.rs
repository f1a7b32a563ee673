//! Locks: what a guard does, and what isn't seen in the random programs of `differential`, which
//! show who gets a lock, and when.

use crate::support::{play, refusal};
use asyncio::{Held, Holdings, Lock, SyncError, get_running_loop};

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
