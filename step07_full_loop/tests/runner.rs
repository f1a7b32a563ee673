//! What `run` does with the tasks that its main leaves, and what it returns.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use step07_full_loop::{Error, LoopError, create_task, run, sleep, yield_now};

type Log = Rc<RefCell<Vec<&'static str>>>;

#[test]
fn run_cancels_the_tasks_that_main_leaves_and_waits_for_their_cleanup() {
    limit_time();
    let log = Log::default();
    let inner = Rc::clone(&log);
    run(async move {
        create_task(async move {
            let outcome = sleep(Duration::from_hours(1)).await;
            yield_now().await?;
            inner.borrow_mut().push("cleaned up");
            outcome
        })?;
        yield_now().await
    })
    .unwrap();
    assert_eq!(*log.borrow(), ["cleaned up"]);
}

#[test]
fn run_gives_back_the_error_of_main() {
    limit_time();
    let outcome = run::<()>(async { Err(Error::other("main failed")) });
    assert!(matches!(&outcome, Err(LoopError::Task(_))), "{outcome:?}");
    assert_eq!(outcome.unwrap_err().to_string(), "main failed");
}

#[test]
fn a_task_that_never_ends_does_not_keep_others_from_running() {
    limit_time();
    run(async {
        let spinner = create_task::<()>(async {
            loop {
                yield_now().await?;
            }
        })?;
        sleep(Duration::from_millis(2)).await?;
        spinner.cancel();
        assert!(spinner.await.unwrap_err().is_cancelled());
        Ok(())
    })
    .unwrap();
}
