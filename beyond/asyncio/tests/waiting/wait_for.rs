//! `wait_for` with a limit of zero. The random programs of `differential` compare its outcomes with
//! CPython 3.12 or later; CI has 3.13.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::support::{is_timeout, run};
use asyncio::{Error, create_task, sleep, wait_for, yield_now};

const HOUR: Duration = Duration::from_hours(1);

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
