//! A deadline that's moved, and the states in which it can't be.

use std::time::Duration;

use crate::support::run;
use asyncio::{
    Result, TimeoutError, create_task, get_running_loop, sleep, timeout, timeout_at, yield_now,
};

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
