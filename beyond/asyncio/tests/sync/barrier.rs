//! Barriers: cancelled tasks, and the errors of a broken one. Who leaves, in which tick and with
//! which index is in the random programs of `differential`.

use crate::support::{barrier_of, is_cancelled, play, refusal, start_wait, ticks};
use asyncio::{Result, SyncError};

fn is_broken<T>(outcome: Result<T>) -> bool {
    matches!(refusal(outcome), Some(SyncError::BrokenBarrier(_)))
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

/// A cancelled task doesn't count as one of the barrier's parties, so it has no index. In CPython,
/// which counts from the number of tasks inside, two other tasks then have the same index.
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
