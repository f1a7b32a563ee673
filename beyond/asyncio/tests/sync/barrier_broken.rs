//! Barriers that are reset or aborted: the rest of `BarrierTests` of CPython's `test_locks.py`,
//! under its names.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::{Log, barrier_of, play, refusal, start, start_wait, ticks};
use asyncio::{Barrier, Result, SyncError};

const N: usize = 5;

fn is_broken<T>(outcome: Result<T>) -> bool {
    matches!(refusal(outcome), Some(SyncError::BrokenBarrier(_)))
}

#[test]
fn reset_barrier() {
    play(async {
        let barrier = barrier_of(1);
        barrier.reset().await?;
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}

#[test]
fn reset_barrier_while_tasks_waiting() {
    play(async {
        let barrier = barrier_of(N);
        let tasks = [(); N - 1].map(|()| start_wait(&barrier));
        ticks(1).await;
        barrier.reset().await?;
        for task in tasks {
            let outcome = task.await;
            let text = outcome.as_ref().unwrap_err().to_string();
            assert_eq!(text, "Abort or reset of barrier");
            assert!(is_broken(outcome));
        }
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}

/// A reset reaches the tasks that are still inside; the tasks outside fill the barrier again.
#[test]
fn reset_barrier_when_tasks_half_draining_half_blocking() {
    play(async {
        let (barrier, left, log) = (barrier_of(N), Rc::new(Cell::new(0)), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, left, log) = (Rc::clone(&barrier), Rc::clone(&left), log.clone());
            start(async move {
                let outcome = barrier.wait().await;
                if is_broken(outcome) {
                    log.say(1);
                } else {
                    left.set(left.get() + 1);
                    if left.get() == 3 {
                        barrier.reset().await?;
                    }
                }
                barrier.wait().await
            })
        });
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[1, 1]);
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}

#[test]
fn abort_barrier() {
    play(async {
        let barrier = barrier_of(2);
        let task = start_wait(&barrier);
        ticks(1).await;
        barrier.abort().await?;
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, true));
        assert!(is_broken(task.await));
        let outcome = barrier.wait().await;
        assert_eq!(outcome.as_ref().unwrap_err().to_string(), "Barrier aborted");
        assert!(is_broken(outcome));
        Ok(())
    });
}

/// An abort reaches the tasks that are still inside and those that wait outside.
#[test]
fn abort_barrier_when_tasks_half_draining_half_blocking() {
    play(async {
        let (barrier, left, log) = (barrier_of(N), Rc::new(Cell::new(0)), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, left, log) = (Rc::clone(&barrier), Rc::clone(&left), log.clone());
            start(async move {
                if is_broken(barrier.wait().await) {
                    log.say(1);
                    return Ok(());
                }
                left.set(left.get() + 1);
                if left.get() == 3 {
                    barrier.abort().await?;
                } else if is_broken(barrier.wait().await) {
                    log.say(2);
                }
                Ok(())
            })
        });
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[1, 1, 2, 2]);
        assert!(barrier.broken());
        Ok(())
    });
}

/// The tasks that a reset sends away come back and meet another task.
#[test]
fn reset_barrier_while_tasks_waiting_and_waiting_again() {
    play(async {
        let (barrier, log) = (barrier_of(N), Log::default());
        let tasks = [(); N - 1].map(|()| {
            let (barrier, log) = (Rc::clone(&barrier), log.clone());
            start(async move {
                assert!(is_broken(barrier.wait().await));
                log.say(1);
                barrier.wait().await?;
                log.say(2);
                Ok(())
            })
        });
        ticks(1).await;
        barrier.reset().await?;
        barrier.wait().await?;
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}

/// The last task that leaves resets the barrier, and the others wait outside for the next meeting.
/// No task is inside, so no task is sent away.
#[test]
fn reset_barrier_while_tasks_draining() {
    play(async {
        let (barrier, left, log) = (barrier_of(3), Rc::new(Cell::new(0)), Log::default());
        let tasks = [(); 3].map(|()| {
            let (barrier, left, log) = (Rc::clone(&barrier), Rc::clone(&left), log.clone());
            start(async move {
                barrier.wait().await?;
                left.set(left.get() + 1);
                if left.get() == 3 {
                    barrier.reset().await?;
                }
                log.say(if is_broken(barrier.wait().await) { -1 } else { 1 });
                Ok(())
            })
        });
        ticks(6).await;
        log.assert_is(&[1, 1, 1]);
        drop(tasks);
        Ok(())
    });
}

/// Meets the others twice. Returns true at once if this task fails in between.
async fn fails_between_two_meetings(barrier: &Barrier) -> Result<bool> {
    if barrier.wait().await? == N / 2 {
        return Ok(true);
    }
    barrier.wait().await?;
    Ok(false)
}

/// One task fails between two meetings and aborts: the others learn of it at either meeting.
#[test]
fn abort_barrier_when_exception() {
    play(async {
        let (barrier, log) = (barrier_of(N), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, log) = (Rc::clone(&barrier), log.clone());
            start(async move {
                let outcome = fails_between_two_meetings(&barrier).await;
                if matches!(outcome, Ok(true)) {
                    log.say(1);
                    return barrier.abort().await;
                }
                assert!(is_broken(outcome));
                log.say(2);
                Ok(())
            })
        });
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[1, 2, 2, 2, 2]);
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, true));
        Ok(())
    });
}

/// After such an abort the tasks meet elsewhere, one resets the barrier, and all use it again.
#[test]
fn abort_barrier_when_exception_then_resetting() {
    play(async {
        let (barrier, elsewhere, log) = (barrier_of(N), barrier_of(N), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, elsewhere, log) =
                (Rc::clone(&barrier), Rc::clone(&elsewhere), log.clone());
            start(async move {
                let outcome = fails_between_two_meetings(&barrier).await;
                if matches!(outcome, Ok(true)) {
                    barrier.abort().await?;
                } else {
                    assert!(is_broken(outcome));
                }
                if elsewhere.wait().await? == N / 2 {
                    barrier.reset().await?;
                }
                elsewhere.wait().await?;
                barrier.wait().await?;
                log.say(1);
                Ok(())
            })
        });
        for task in tasks {
            task.await?;
        }
        log.assert_is(&[1; N]);
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}
