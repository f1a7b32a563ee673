//! `as_completed`: results in the order of their arrival.

use std::future::ready;
use std::time::Duration;

use crate::support::run;
use asyncio::{
    Error, Future, LoopError, Result, TimeoutError, as_completed, create_task, get_running_loop,
    sleep, yield_now,
};
use kit::limit_time;

const SECOND: Duration = Duration::from_secs(1);

async fn sleep_sort(seconds: u32) -> Result<u32> {
    sleep(seconds * SECOND).await?;
    Ok(seconds)
}

#[test]
fn results_come_in_the_order_in_which_they_are_ready() {
    run(async {
        let coming = as_completed([3, 1, 2].map(sleep_sort), None)?;
        assert_eq!(coming.len(), 3);
        let began = get_running_loop()?.time();
        for (expected, next) in (1..).zip(coming) {
            assert_eq!(next.await?, expected);
            assert_eq!(get_running_loop()?.time() - began, expected * SECOND);
        }
        Ok(())
    });
}

#[test]
fn an_error_comes_out_of_its_own_wait() {
    run(async {
        let tries = [Ok(1), Err(Error::other("no such user")), Ok(3)].map(ready);
        let mut outcomes = Vec::new();
        for next in as_completed(tries, None)? {
            outcomes.push(next.await.map_err(|error| error.to_string()));
        }
        assert_eq!(outcomes, [Ok(1), Err("no such user".to_owned()), Ok(3)]);
        Ok(())
    });
}

#[test]
fn when_the_time_is_up_all_that_have_not_come_fail() {
    run(async {
        let slow = create_task(sleep_sort(5))?;
        let tasks = [create_task(sleep_sort(1))?, slow.clone(), create_task(sleep_sort(4))?];
        let mut outcomes = Vec::new();
        for next in as_completed(tasks, 2 * SECOND)? {
            outcomes.push(next.await.map_err(|error| TimeoutError::is(&error)));
        }
        assert_eq!(outcomes, [Ok(1), Err(true), Err(true)]);
        assert_eq!(slow.await?, 5);
        Ok(())
    });
}

#[test]
fn a_timer_that_is_not_needed_any_more_is_cancelled() {
    run(async {
        for next in as_completed([sleep_sort(1)], Duration::from_hours(1))? {
            next.await?;
        }
        assert_eq!(get_running_loop()?.select_timeout(), None);
        assert_eq!(as_completed(Vec::<Future<u32>>::new(), SECOND)?.len(), 0);
        assert_eq!(get_running_loop()?.select_timeout(), None);
        Ok(())
    });
}

#[test]
fn those_that_wait_get_results_in_the_order_in_which_they_wait() {
    run(async {
        let coming = as_completed([2, 1].map(sleep_sort), None)?;
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
fn outside_of_a_running_loop_it_fails() {
    limit_time();
    assert!(matches!(as_completed([ready(Ok(()))], None).err(), Some(LoopError::NoneIsRunning)));
}
