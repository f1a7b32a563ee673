//! `wait`: for the first, for the first error, for all; it cancels nothing.

use std::future::Future as Coroutine;
use std::time::Duration;

use crate::support::run;
use asyncio::{
    Error, EventLoop, Future, Result, ReturnWhen, Task, create_task, get_running_loop, sleep, wait,
    yield_now,
};

fn sleeper(seconds: u64) -> Result<Task<u64>> {
    Ok(create_task(async move { sleep(Duration::from_secs(seconds)).await.map(|()| seconds) })?)
}

fn failing(seconds: u64) -> Result<Task<u64>> {
    Ok(create_task(async move {
        sleep(Duration::from_secs(seconds)).await?;
        Err(Error::other("no such user"))
    })?)
}

fn seconds_since(began: asyncio::Time) -> Result<u64> {
    Ok((get_running_loop()?.time() - began).as_secs())
}

#[test]
fn all_completed_waits_for_all_and_keeps_their_order() {
    run(async {
        let began = get_running_loop()?.time();
        let (done, pending) =
            wait([sleeper(3)?, failing(1)?, sleeper(2)?], None, ReturnWhen::AllCompleted).await?;
        assert_eq!(seconds_since(began)?, 3);
        assert!(pending.is_empty());
        assert_eq!((done[0].result()?, done[2].result()?), (3, 2));
        assert!(done[1].result().is_err());
        Ok(())
    });
}

#[test]
fn first_completed_returns_the_others_pending() {
    run(async {
        let tasks = [sleeper(3)?, sleeper(1)?, sleeper(2)?];
        let (done, pending) = wait(tasks, None, ReturnWhen::FirstCompleted).await?;
        assert_eq!(done[0].result()?, 1);
        assert_eq!((done.len(), pending.len()), (1, 2));
        assert!(pending.iter().all(|task| task.cancelling() == 0));
        assert_eq!(pending[0].clone().await?, 3);
        Ok(())
    });
}

/// CPython's `test_wait_really_done`: a done future counts before its callback is called.
#[test]
fn wait_really_done() {
    run(async {
        let one = create_task(yield_now())?;
        let other = create_task(async {
            yield_now().await?;
            yield_now().await
        })?;
        let (done, pending) = wait([other, one], None, ReturnWhen::FirstCompleted).await?;
        assert_eq!((done.len(), pending.len()), (2, 0));
        Ok(())
    });
}

#[test]
fn wait_first_exception() {
    run(async {
        let began = get_running_loop()?.time();
        let (done, pending) =
            wait([sleeper(1)?, failing(2)?, sleeper(3)?], None, ReturnWhen::FirstException).await?;
        assert_eq!(seconds_since(began)?, 2);
        assert_eq!((done.len(), pending.len()), (2, 1));
        Ok(())
    });
}

#[test]
fn without_an_exception_first_exception_waits_for_all() {
    run(async {
        let cancelled = sleeper(9)?;
        let inner = cancelled.clone();
        get_running_loop()?.call_later(Duration::from_secs(1), move || {
            inner.cancel();
        });
        let began = get_running_loop()?.time();
        let (done, _) = wait([cancelled, sleeper(2)?], None, ReturnWhen::FirstException).await?;
        assert_eq!(seconds_since(began)?, 2);
        assert_eq!(done.len(), 2);
        Ok(())
    });
}

#[test]
fn when_the_time_is_up_it_returns_what_there_is() {
    run(async {
        let tasks = [sleeper(1)?, sleeper(3)?];
        let (done, pending) = wait(tasks, Duration::from_secs(2), ReturnWhen::AllCompleted).await?;
        assert_eq!((done.len(), pending.len()), (1, 1));
        assert_eq!(pending[0].cancelling(), 0);
        assert_eq!(pending[0].clone().await?, 3);
        Ok(())
    });
}

#[test]
fn a_wait_that_is_over_leaves_no_timer() {
    run(async {
        let hour = Duration::from_hours(1);
        wait([sleeper(1)?], hour, ReturnWhen::AllCompleted).await?;
        let future: Future<u32> = get_running_loop()?.create_future();
        let waiting =
            create_task(async move { wait([future], hour, ReturnWhen::AllCompleted).await })?;
        yield_now().await?;
        assert_eq!(get_running_loop()?.select_timeout(), Some(hour));
        waiting.cancel();
        assert!(waiting.await.is_err());
        assert_eq!(get_running_loop()?.select_timeout(), None);
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
fn of_nothing_it_fails_as_it_does_outside_of_a_loop() {
    run(async {
        let nothing = wait(Vec::<Future<u32>>::new(), None, ReturnWhen::AllCompleted).await;
        assert_eq!(nothing.unwrap_err().to_string(), "Set of Tasks/Futures is empty.");
        Ok(())
    });
    let stranger = EventLoop::new().unwrap();
    let mut waiting =
        Box::pin(wait([stranger.create_future::<u32>()], None, ReturnWhen::AllCompleted));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match waiting.as_mut().poll(&mut context) {
        std::task::Poll::Ready(Err(error)) => {
            assert_eq!(error.to_string(), "no running event loop");
        }
        _ => panic!("there's no loop"),
    }
}
