//! Barriers: `BarrierTests` of CPython's `test_locks.py`, under its names.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod sync_support;

use std::cell::Cell;
use std::num::NonZero;
use std::rc::Rc;

use step07_full_loop::{Barrier, Result, SyncError, Task};
use sync_support::{Log, is_cancelled, play, refusal, start, ticks};

const N: usize = 5;

fn barrier_of(parties: usize) -> Rc<Barrier> {
    Rc::new(Barrier::new(NonZero::new(parties).unwrap()))
}

fn start_wait(barrier: &Rc<Barrier>) -> Task<usize> {
    let barrier = Rc::clone(barrier);
    start(async move { barrier.wait().await })
}

fn is_broken<T>(outcome: Result<T>) -> bool {
    matches!(refusal(outcome), Some(SyncError::BrokenBarrier(_)))
}

#[test]
fn filling_one_task_twice() {
    play(async {
        let barrier = barrier_of(1);
        for _ in 0..2 {
            let task = start_wait(&barrier);
            ticks(1).await;
            assert_eq!(task.result()?, 0);
            assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        }
        Ok(())
    });
}

#[test]
fn filling_task_by_task() {
    play(async {
        let barrier = barrier_of(3);
        assert_eq!(barrier.parties(), 3);
        let mut tasks = Vec::new();
        for waiting in 1..=2 {
            tasks.push(start_wait(&barrier));
            ticks(1).await;
            assert_eq!(barrier.n_waiting(), waiting);
            assert!(tasks.iter().all(|task| !task.done()));
        }
        assert_eq!(start_wait(&barrier).await?, 2);
        for (index, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await?, index);
        }
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
}

/// Each task meets the others twice, and has an index of its own each time.
#[test]
fn filling_tasks_check_return_value() {
    play(async {
        let (barrier, log) = (barrier_of(N), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, log) = (Rc::clone(&barrier), log.clone());
            start(async move {
                barrier.wait().await?;
                log.say(1);
                let index = barrier.wait().await?;
                log.say(2);
                Ok(index)
            })
        });
        let mut indices = Vec::new();
        for task in tasks {
            indices.push(task.await?);
        }
        indices.sort_unstable();
        assert_eq!(indices, [0, 1, 2, 3, 4]);
        log.assert_is(&[1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
        Ok(())
    });
}

/// A task that has left waits outside until all have left.
#[test]
fn blocking_tasks_while_draining() {
    play(async {
        let (barrier, others, left) = (barrier_of(N), barrier_of(N - 2), Rc::new(Cell::new(0)));
        let tasks = [(); N].map(|()| {
            let (barrier, others, left) =
                (Rc::clone(&barrier), Rc::clone(&others), Rc::clone(&left));
            start(async move {
                barrier.wait().await?;
                left.set(left.get() + 1);
                if left.get() > 2 {
                    others.wait().await?;
                }
                barrier.wait().await?;
                assert_eq!(left.get(), N);
                Ok(())
            })
        });
        for task in tasks {
            task.await?;
        }
        Ok(())
    });
}

#[test]
fn filling_tasks_cancel_one() {
    play(async {
        let barrier = barrier_of(3);
        let (first, second) = (start_wait(&barrier), start_wait(&barrier));
        ticks(1).await;
        assert_eq!(barrier.n_waiting(), 2);
        first.cancel();
        ticks(1).await;
        assert_eq!(barrier.n_waiting(), 1);
        assert!(is_cancelled(&first.await));
        let third = start_wait(&barrier);
        ticks(2).await;
        assert_eq!(barrier.n_waiting(), 2);
        start_wait(&barrier).await?;
        second.await?;
        third.await?;
        assert_eq!((barrier.n_waiting(), barrier.broken()), (0, false));
        Ok(())
    });
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

/// A reset reaches those that are still inside; those that wait outside fill the barrier anew.
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

/// An abort reaches those that are still inside, and those that wait outside.
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

#[test]
fn abort_barrier_then_resetting() {
    play(async {
        let barrier = barrier_of(2);
        barrier.abort().await?;
        assert!(is_broken(barrier.wait().await));
        barrier.reset().await?;
        assert!(!barrier.broken());
        let task = start_wait(&barrier);
        ticks(1).await;
        barrier.wait().await?;
        task.await?;
        assert_eq!(barrier.n_waiting(), 0);
        Ok(())
    });
}
