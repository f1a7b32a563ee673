//! The errors of awaited tasks and futures that are reported and those that aren't.

use std::cell::RefCell;
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    Error, EventLoop, Result, TaskGroup, VirtualClock, create_task, gather,
    gather_return_exceptions, shield, sleep,
};
use kit::limit_time;

const SECOND: Duration = Duration::from_secs(1);

/// Makes a loop whose sleeps take no time, with a list of its reports.
fn event_loop() -> (EventLoop, Rc<RefCell<Vec<String>>>) {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let reports = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
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
fn errors_that_come_after_the_first_are_not_reported() {
    let reported = reports(async {
        let ended = gather([failing(1), failing(2)])?.await;
        assert_eq!(ended.unwrap_err().to_string(), "after 1 s");
        sleep(3 * SECOND).await
    });
    assert_eq!(reported, [""; 0]);
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
fn exceptions_that_are_results_are_not_reported() {
    let reported = reports(async {
        assert!(gather_return_exceptions([failing(1)])?.await?[0].is_err());
        Ok(())
    });
    assert_eq!(reported, [""; 0]);
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
fn a_members_error_is_in_the_group_and_not_reported() {
    let reported = reports(async {
        let group = TaskGroup::new();
        let block = async { group.create_task(failing(1)).map(drop) };
        assert!(group.run(block).await.is_err());
        Ok(())
    });
    assert_eq!(reported, [""; 0]);
}

#[test]
fn a_shielded_error_is_reported_once() {
    let reported = reports(async {
        let task = create_task(async { shield(failing(2))?.await })?;
        sleep(SECOND).await?;
        task.cancel();
        sleep(3 * SECOND).await
    });
    assert_eq!(reported, ["Task exception was never retrieved: after 2 s"]);
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
