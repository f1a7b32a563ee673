//! Barriers whose tasks are cancelled. Which task leaves, in which tick and with which index, and
//! the errors of a broken barrier are compared with asyncio in the random programs of
//! `differential`.

use crate::support::{barrier_of, is_cancelled, play, start_wait, ticks};

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
