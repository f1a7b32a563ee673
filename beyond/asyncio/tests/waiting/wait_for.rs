//! `wait_for`, as in CPython since 3.12.

use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;

use crate::support::{is_timeout, run};
use asyncio::{Error, Future, create_task, get_running_loop, shield, sleep, wait_for, yield_now};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

#[test]
fn a_result_comes_out_in_time() {
    run(async {
        assert_eq!(wait_for(ready(Ok(1)), SECOND).await?, 1);
        assert_eq!(wait_for(create_task(ready(Ok(2)))?, SECOND).await?, 2);
        assert_eq!(wait_for(async { sleep(HOUR).await.map(|()| 3) }, None).await?, 3);
        let failed = wait_for(ready(Err::<(), _>(Error::other("no such user"))), SECOND).await;
        assert_eq!(failed.unwrap_err().to_string(), "no such user");
        Ok(())
    });
}

#[test]
fn when_the_time_is_up_the_inner_one_is_cancelled_and_awaited() {
    run(async {
        let task = create_task(async {
            let outcome = sleep(HOUR).await;
            sleep(3 * SECOND).await?;
            outcome
        })?;
        let began = get_running_loop()?.time();
        assert!(is_timeout(&wait_for(task.clone(), SECOND).await));
        assert!(task.cancelled());
        assert_eq!(get_running_loop()?.time() - began, 4 * SECOND);
        Ok(())
    });
}

#[test]
fn an_inner_one_that_goes_on_has_the_last_word() {
    run(async {
        let stubborn = async {
            let _ = sleep(HOUR).await;
            Ok("all the same")
        };
        assert_eq!(wait_for(create_task(stubborn)?, SECOND).await?, "all the same");
        let angry = async {
            let _ = sleep(HOUR).await;
            Err::<(), _>(Error::other("how rude"))
        };
        let outcome = wait_for(create_task(angry)?, SECOND).await;
        assert_eq!(outcome.unwrap_err().to_string(), "how rude");
        Ok(())
    });
}

#[test]
fn with_a_limit_of_zero_a_coroutine_is_not_started() {
    run(async {
        let has_begun = Rc::new(Cell::new(false));
        let begins = Rc::clone(&has_begun);
        let coroutine = async move {
            begins.set(true);
            Ok(())
        };
        assert!(is_timeout(&wait_for(coroutine, Duration::ZERO).await));
        assert!(!has_begun.get());
        Ok(())
    });
}

#[test]
fn with_a_limit_of_zero_what_is_done_counts() {
    run(async {
        let future: Future<u32> = get_running_loop()?.create_future();
        future.set_result(42)?;
        assert_eq!(wait_for(future, Duration::ZERO).await?, 42);

        let cancelled: Future<u32> = get_running_loop()?.create_future();
        cancelled.cancel();
        assert!(wait_for(cancelled, Duration::ZERO).await.unwrap_err().is_cancelled());

        let task = create_task(async {
            let outcome = sleep(HOUR).await;
            sleep(SECOND).await?;
            outcome
        })?;
        yield_now().await?;
        assert!(is_timeout(&wait_for(task.clone(), Duration::ZERO).await));
        assert!(task.cancelled());
        Ok(())
    });
}

#[test]
fn with_a_limit_of_zero_an_error_of_the_cleanup_comes_out() {
    run(async {
        let task = create_task(async {
            let _ = sleep(HOUR).await;
            Err::<(), _>(Error::other("how rude"))
        })?;
        yield_now().await?;
        let outcome = wait_for(task, Duration::ZERO).await;
        assert_eq!(outcome.unwrap_err().to_string(), "how rude");
        Ok(())
    });
}

#[test]
fn cancelling_it_cancels_the_inner_one() {
    run(async {
        for limit in [None, Some(HOUR)] {
            let inner = create_task(sleep(HOUR))?;
            let awaited = inner.clone();
            let outer = create_task(async move { wait_for(awaited, limit).await })?;
            yield_now().await?;
            outer.cancel();
            assert!(outer.await.unwrap_err().is_cancelled());
            assert!(inner.cancelled());
        }
        Ok(())
    });
}

#[test]
fn a_shielded_one_outlives_the_limit() {
    run(async {
        let inner = create_task(async { sleep(3 * SECOND).await.map(|()| 42) })?;
        assert!(is_timeout(&wait_for(shield(inner.clone())?, SECOND).await));
        assert_eq!(inner.await?, 42);
        Ok(())
    });
}
