//! `wait` and `as_completed`: order, leftover callbacks, and several tasks that wait for the same
//! futures. The random programs of `differential` compare with asyncio which of them are done by
//! then, and how many timers are left.

use std::future::ready;
use std::time::Duration;

use crate::common::error_without_a_loop;
use crate::support::run;
use asyncio::{
    EventLoop, Future, LoopError, Result, ReturnWhen, Task, as_completed, create_task,
    get_running_loop, sleep, wait, yield_now,
};
use kit::limit_time;

fn sleeper(seconds: u64) -> Result<Task<u64>> {
    Ok(create_task(async move { sleep(Duration::from_secs(seconds)).await.map(|()| seconds) })?)
}

#[test]
fn those_that_are_done_and_those_that_are_not_keep_their_order() {
    run(async {
        let tasks = [sleeper(3)?, sleeper(1)?, sleeper(4)?, sleeper(2)?];
        let limit = Duration::from_millis(2500);
        let (done, pending) = wait(tasks, limit, ReturnWhen::AllCompleted).await?;
        assert_eq!((done[0].result()?, done[1].result()?), (1, 2));
        assert_eq!((pending[0].clone().await?, pending[1].clone().await?), (3, 4));
        Ok(())
    });
}

#[test]
fn a_cancelled_wait_cancels_nothing_and_leaves_no_callback() {
    run(async {
        let future: Future<u32> = get_running_loop()?.create_future();
        let awaited = future.clone();
        let waiting =
            create_task(async move { wait([awaited], None, ReturnWhen::AllCompleted).await })?;
        yield_now().await?;
        waiting.cancel();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert!(!future.done());
        future.set_result(1)?;
        // A callback would be ready to run now.
        assert_eq!(get_running_loop()?.select_timeout(), None);
        Ok(())
    });
}

#[test]
fn those_that_wait_get_results_in_the_order_in_which_they_wait() {
    run(async {
        let coming = as_completed([sleeper(2)?, sleeper(1)?], None)?;
        let tasks: Vec<_> = coming.map(|next| create_task(next).unwrap()).collect();
        assert_eq!((tasks[0].clone().await?, tasks[1].clone().await?), (1, 2));
        Ok(())
    });
}

/// One task is chosen and cancelled before it runs: its result goes to the next task.
#[test]
fn a_cancelled_wait_loses_no_result() {
    run(async {
        let futures: [Future<u32>; 2] =
            std::array::from_fn(|_| get_running_loop().unwrap().create_future());
        let coming = as_completed(futures.clone(), None)?;
        let tasks: Vec<_> = coming.map(|next| create_task(next).unwrap()).collect();
        yield_now().await?;
        futures[0].set_result(42)?;
        yield_now().await?;
        // The first task was woken in this tick, and hasn't run.
        tasks[0].cancel();
        assert_eq!(tasks[1].clone().await?, 42);
        assert!(tasks[0].cancelled());
        Ok(())
    });
}

#[test]
fn outside_of_a_running_loop_they_fail() {
    limit_time();
    assert!(matches!(as_completed([ready(Ok(()))], None).err(), Some(LoopError::NoneIsRunning)));
    let stranger = EventLoop::new().unwrap();
    let future = stranger.create_future::<u32>();
    let refused = error_without_a_loop(wait([future], None, ReturnWhen::AllCompleted));
    assert_eq!(refused.to_string(), "no running event loop");
}
