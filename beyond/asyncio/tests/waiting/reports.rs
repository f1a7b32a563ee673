//! The errors of tasks and futures that nothing awaits any more. The scenes `one_of_three_fails`,
//! `an_error_nobody_sees` and `what_a_shield_keeps_away` print every report, so they show which
//! errors aren't reported.

use std::cell::RefCell;
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use crate::common::reports_of;
use asyncio::{
    Error, EventLoop, Result, VirtualClock, gather, gather_return_exceptions, shield, sleep,
};
use kit::limit_time;

const SECOND: Duration = Duration::from_secs(1);

/// Makes a loop whose sleeps take no time, with a list of its reports.
fn event_loop() -> (EventLoop, Rc<RefCell<Vec<String>>>) {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let reports = reports_of(&event_loop);
    (event_loop, reports)
}

/// Runs a main coroutine and returns the reports.
fn reports(main: impl Coroutine<Output = Result<()>> + 'static) -> Vec<String> {
    let (event_loop, reports) = event_loop();
    event_loop.run(main).unwrap();
    reports.take()
}

async fn failing(seconds: u32) -> Result<()> {
    sleep(seconds * SECOND).await?;
    Err(Error::other(format!("after {seconds} s")))
}

#[test]
fn a_gather_that_nothing_awaits_reports_its_error_as_its_own() {
    let reported = reports(async {
        let kept = gather([failing(1), failing(2)])?;
        sleep(3 * SECOND).await?;
        drop(kept);
        Ok(())
    });
    assert_eq!(reported, ["Future exception was never retrieved: after 1 s"]);
}

#[test]
fn a_gather_that_was_dropped_leaves_errors_to_the_tasks() {
    let lost = ["Task exception was never retrieved: after 1 s"];
    assert_eq!(
        lost,
        *reports(async {
            drop(gather([failing(1)])?);
            sleep(3 * SECOND).await
        })
    );
    assert_eq!(
        lost,
        *reports(async {
            drop(gather_return_exceptions([failing(1)])?);
            sleep(3 * SECOND).await
        })
    );
}

#[test]
fn the_tasks_of_a_gather_are_destroyed_silently() {
    let (event_loop, reports) = event_loop();
    let stopper = event_loop.clone();
    event_loop.call_later(SECOND, move || stopper.stop());
    let main = event_loop.run_until_complete(async { gather([sleep(9 * SECOND)])?.await });
    assert!(main.is_err());
    event_loop.close().unwrap();
    assert_eq!(*reports.borrow(), [""; 0]);
}

#[test]
fn a_shielded_error_that_nobody_asks_for_is_the_outer_ones() {
    let reported = reports(async {
        let outer = shield(failing(1))?;
        sleep(3 * SECOND).await?;
        drop(outer);
        Ok(())
    });
    assert_eq!(reported, ["Future exception was never retrieved: after 1 s"]);
}
