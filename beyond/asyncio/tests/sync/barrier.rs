//! Barriers: `BarrierTests` of CPython's `test_locks.py`, under its names. The tests that reset and
//! abort are in `barrier_broken.rs`.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::{Log, barrier_of, is_cancelled, play, start, start_wait, ticks};

const N: usize = 5;

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

/// Each task meets the others twice and has an index of its own each time.
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

/// Tasks that have left see no task waiting, and the last task leaves an empty barrier.
#[test]
fn draining_state() {
    play(async {
        let (barrier, log) = (barrier_of(N), Log::default());
        let tasks = [(); N].map(|()| {
            let (barrier, log) = (Rc::clone(&barrier), log.clone());
            start(async move {
                let index = barrier.wait().await?;
                log.say(i32::try_from(index).unwrap());
                assert_eq!(barrier.n_waiting(), 0);
                Ok(())
            })
        });
        ticks(1).await;
        log.assert_is(&[4]);
        ticks(1).await;
        log.assert_is(&[4, 0, 1, 2, 3]);
        assert!(tasks.iter().all(|task| task.done()));
        Ok(())
    });
}

/// A task that's cancelled doesn't count, so it has no index. In CPython, which counts from the
/// number of tasks inside, two of the others then have the same index.
#[test]
fn each_task_of_a_meeting_has_an_index_of_its_own_although_others_were_cancelled() {
    play(async {
        for cancelled in 0..3 {
            let barrier = barrier_of(4);
            let mut tasks: Vec<_> = (0..3).map(|_| start_wait(&barrier)).collect();
            ticks(1).await;
            tasks[cancelled].cancel();
            assert!(is_cancelled(&tasks.remove(cancelled).await));
            assert_eq!(barrier.n_waiting(), 2);
            tasks.extend((0..2).map(|_| start_wait(&barrier)));
            for (index, task) in tasks.into_iter().enumerate() {
                assert_eq!(task.await?, index, "in the order in which they came");
            }
        }
        Ok(())
    });
}

/// The task has left the meeting, which is still complete, and the others keep their indices.
#[test]
fn a_task_that_is_cancelled_while_the_others_leave_changes_no_index() {
    play(async {
        let barrier = barrier_of(4);
        let tasks: Vec<_> = (0..3).map(|_| start_wait(&barrier)).collect();
        ticks(1).await;
        assert_eq!(barrier.wait().await?, 3);
        tasks[0].cancel();
        assert!(is_cancelled(&tasks[0].clone().await));
        assert_eq!((tasks[1].clone().await?, tasks[2].clone().await?), (1, 2));
        let again: Vec<_> = (0..4).map(|_| start_wait(&barrier)).collect();
        for (index, task) in again.into_iter().enumerate() {
            assert_eq!(task.await?, index);
        }
        Ok(())
    });
}
