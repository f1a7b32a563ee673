//! `timeout`: two deadlines that are both over before the loop gets to them, blocks that are
//! dropped, and the states in which a deadline can't be moved. The scenes `nested_timeouts` and
//! `a_timeout_and_a_cancellation` have deadlines of the same moment; the random programs of
//! `differential` have the other outcomes.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::common::{error_without_a_loop, is_cancelled, poll_once};
use crate::support::{is_timeout, run};
use asyncio::{
    EventLoop, LoopError, ReadyQueue, Result, VirtualClock, create_task, current_task,
    get_running_loop, sleep, timeout, timeout_at, yield_now,
};
use kit::limit_time;
use step04_timers::Clock as _;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

fn refusal(outcome: Result<()>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn nested_timeouts_loop_busy() {
    limit_time();
    let clock = VirtualClock::new();
    let busy = clock.clone();
    let ran = EventLoop::with_clock(clock).unwrap().run(async move {
        let outer = timeout(SECOND)?;
        let outcome = outer.run(async {
            let inner = timeout(2 * SECOND)?;
            let inside = inner.run(async {
                busy.advance(3 * SECOND);
                sleep(HOUR).await
            });
            // Both deadlines are over when the loop gets to them.
            let inside = inside.await;
            assert!(is_cancelled(&inside));
            inside
        });
        assert!(is_timeout(&outcome.await));
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn timeout_after_cancellation() {
    run(async {
        current_task().unwrap().cancel();
        assert!(is_cancelled(&sleep(HOUR).await));
        // The task goes on to clean up. It had one request to end before this limit.
        assert!(is_timeout(&timeout(Duration::ZERO)?.run(sleep(HOUR)).await));
        Ok(())
    });
}

#[test]
fn a_deadline_that_hits_a_leaf_that_knows_no_cancellation_is_gone_afterwards() {
    run(async {
        let mut polled = 0;
        let scope = timeout(Duration::ZERO)?;
        let block = poll_fn(move |_| {
            polled += 1;
            if polled == 1 { Poll::Pending } else { Poll::Ready(Ok(polled)) }
        });
        assert_eq!(scope.run(block).await?, 2);
        assert!(scope.expired());
        yield_now().await
    });
}

#[test]
fn a_block_that_is_dropped_takes_its_deadline_with_it() {
    run(async {
        let scope = timeout(SECOND)?;
        let mut block = Box::pin(scope.run(sleep(HOUR)));
        assert!(poll_once(block.as_mut()).await.is_pending());
        drop(block);
        assert_eq!(get_running_loop()?.select_timeout(), None, "a timer is left");
        sleep(HOUR).await?;
        assert!(!scope.expired());
        Ok(())
    });
}

#[test]
fn outside_of_a_loop_or_a_task_it_fails() {
    limit_time();
    assert!(matches!(timeout(SECOND), Err(LoopError::NoneIsRunning)));
    let scope = timeout_at(None);
    let refused = error_without_a_loop(scope.run(async { Ok(()) }));
    assert_eq!(refused.to_string(), "invalid state: Timeout should be used inside a task");
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
    assert!(is_timeout(&ended));
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
