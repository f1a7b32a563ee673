//! A deadline that's moved, and the states in which it can't be moved.

use std::time::Duration;

use crate::support::run;
use asyncio::{
    EventLoop, ReadyQueue, Result, TimeoutError, VirtualClock, create_task, get_running_loop,
    sleep, timeout, timeout_at, yield_now,
};
use kit::limit_time;
use step04_timers::Clock as _;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

fn refusal(outcome: Result<()>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn reschedule_from_another_task() {
    run(async {
        let event_loop = get_running_loop()?;
        let (first, second) = (event_loop.time() + SECOND, event_loop.time() + 2 * SECOND);
        let scope = timeout_at(first);
        let inner = scope.clone();
        let task = create_task(async move { inner.run(sleep(HOUR)).await })?;
        yield_now().await?;
        assert_eq!(scope.when(), Some(first));
        scope.reschedule(second)?;
        assert_eq!(scope.when(), Some(second));
        sleep(SECOND).await?;
        assert!(!task.done());
        assert!(task.await.is_err_and(|error| TimeoutError::is(&error)));
        assert_eq!(event_loop.time(), second);
        Ok(())
    });
}

#[test]
fn a_deadline_can_be_removed_and_brought_forward() {
    run(async {
        let scope = timeout(SECOND)?;
        let outcome = scope.run(async {
            scope.reschedule(None)?;
            assert_eq!(scope.when(), None);
            sleep(HOUR).await?;
            // The moment is over already.
            scope.reschedule(get_running_loop()?.time())?;
            sleep(HOUR).await
        });
        assert!(outcome.await.is_err_and(|error| TimeoutError::is(&error)));
        Ok(())
    });
}

#[test]
fn the_block_can_cancel_a_deadline_that_was_due_but_is_not_called_yet() {
    run(async {
        let scope = timeout(Duration::ZERO)?;
        scope.run(async { scope.reschedule(None) }).await?;
        yield_now().await?;
        assert!(!scope.expired());
        Ok(())
    });
}

#[test]
fn timeout_already_entered() {
    run(async {
        let scope = timeout(SECOND)?;
        let again = scope.run(async { scope.run(async { Ok(()) }).await }).await;
        assert_eq!(refusal(again), "invalid state: Timeout has already been entered");
        let twice = scope.run(async { Ok(()) }).await;
        assert_eq!(refusal(twice), "invalid state: Timeout has already been entered");
        Ok(())
    });
}

#[test]
fn it_can_be_moved_only_while_the_block_runs() {
    run(async {
        let scope = timeout(SECOND)?;
        assert_eq!(refusal(scope.reschedule(None)), "invalid state: Timeout has not been entered");
        scope.run(async { Ok(()) }).await?;
        let finished = "invalid state: Cannot change state of finished Timeout";
        assert_eq!(refusal(scope.reschedule(None)), finished);

        let scope = timeout(SECOND)?;
        let ended = scope.run(async {
            assert!(sleep(HOUR).await.is_err());
            scope.reschedule(None)
        });
        let expiring = "invalid state: Cannot change state of expiring Timeout";
        assert_eq!(refusal(ended.await), expiring);
        let expired = "invalid state: Cannot change state of expired Timeout";
        assert_eq!(refusal(scope.reschedule(None)), expired);
        Ok(())
    });
}

/// Between two runs of a loop, for example: no clock says when the new deadline is.
#[test]
fn a_deadline_that_cannot_be_moved_stays_where_it_was() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let deadline = event_loop.time() + SECOND;
    let scope = timeout_at(deadline);
    let inner = scope.clone();
    let begin = async move {
        let task = create_task(async move { inner.run(sleep(HOUR)).await })?;
        yield_now().await?;
        Ok(task)
    };
    let task = event_loop.run_until_complete(begin).unwrap();
    assert_eq!(refusal(scope.reschedule(deadline + HOUR)), "no running event loop");
    assert_eq!(scope.when(), Some(deadline));
    let ended = event_loop.run_until_complete(async move { Ok(task.await) }).unwrap();
    assert!(ended.is_err_and(|error| TimeoutError::is(&error)));
    assert_eq!(event_loop.time(), deadline);
    event_loop.close().unwrap();
}

/// A task can run on a bare queue, without a loop.
#[test]
fn a_block_that_cannot_have_its_deadline_can_be_run_later() {
    limit_time();
    let scope = timeout_at(VirtualClock::new().now() + SECOND);
    let queue = ReadyQueue::new().unwrap();
    let inner = scope.clone();
    let task = queue.create_task(async move { inner.run(async { Ok(()) }).await });
    queue.run_ready();
    assert_eq!(refusal(task.result()), "no running event loop");
    run(async move { scope.run(async { Ok(()) }).await });
}
