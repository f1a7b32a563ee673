//! `timeout`: cancellations that become a `TimeoutError`, and those that don't.

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::support::{is_cancelled, is_timeout, run};
use asyncio::{
    Error, EventLoop, LoopError, VirtualClock, create_task, current_task, get_running_loop, sleep,
    timeout, timeout_at, yield_now,
};
use kit::limit_time;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

fn cancel_itself() {
    current_task().unwrap().cancel();
}

#[test]
fn timeout_basic() {
    run(async {
        let began = get_running_loop()?.time();
        let scope = timeout(SECOND)?;
        assert!(is_timeout(&scope.run(sleep(HOUR)).await));
        assert!(scope.expired());
        assert_eq!(scope.when(), Some(began + SECOND));
        assert_eq!(get_running_loop()?.time(), began + SECOND);
        assert_eq!(current_task().unwrap().cancelling(), 0);
        // Nothing is left that could be delivered.
        yield_now().await
    });
}

#[test]
fn timeout_not_called() {
    run(async {
        let scope = timeout(HOUR)?;
        assert_eq!(scope.run(async { sleep(SECOND).await.map(|()| 42) }).await?, 42);
        assert!(!scope.expired());
        assert_eq!(get_running_loop()?.select_timeout(), None, "a timer is left");
        Ok(())
    });
}

#[test]
fn timeout_disabled() {
    run(async {
        for scope in [timeout(None)?, timeout_at(None)] {
            scope.run(sleep(HOUR)).await?;
            assert!(!scope.expired());
            assert_eq!(scope.when(), None);
        }
        Ok(())
    });
}

/// The block runs up to its first wait, even if that would end in the next tick.
#[test]
fn timeout_zero() {
    run(async {
        for delay in [Duration::ZERO, HOUR] {
            let mut has_begun = false;
            let scope = timeout(Duration::ZERO)?;
            let block = async {
                has_begun = true;
                sleep(delay).await
            };
            assert!(is_timeout(&scope.run(block).await));
            assert!(has_begun);
        }
        Ok(())
    });
}

#[test]
fn nested_timeouts() {
    run(async {
        let deadline = get_running_loop()?.time() + SECOND;
        let (outer, inner) = (timeout_at(deadline), timeout_at(deadline));
        let outcome = outer.run(async {
            let inside = inner.run(sleep(HOUR)).await;
            // Only the outermost limit turns it into a TimeoutError.
            assert!(is_cancelled(&inside));
            inside
        });
        assert!(is_timeout(&outcome.await));
        assert!(outer.expired() && inner.expired());
        assert_eq!(current_task().unwrap().cancelling(), 0);
        Ok(())
    });
}

#[test]
fn an_inner_timeout_leaves_the_outer_one_alone() {
    run(async {
        let (outer, inner) = (timeout(3 * SECOND)?, timeout(SECOND)?);
        let outcome = outer.run(async {
            assert!(is_timeout(&inner.run(sleep(HOUR)).await));
            assert!(!outer.expired());
            sleep(HOUR).await
        });
        assert!(is_timeout(&outcome.await));
        Ok(())
    });
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
fn a_foreign_exception_is_passed_on() {
    run(async {
        let scope = timeout(SECOND)?;
        let outcome = scope.run(async { Err::<(), _>(Error::other("no such user")) }).await;
        assert_eq!(outcome.unwrap_err().to_string(), "no such user");
        assert!(!scope.expired());

        let outcome = timeout(SECOND)?
            .run(async {
                let _ = sleep(HOUR).await;
                Err::<(), _>(Error::other("no such user"))
            })
            .await;
        assert_eq!(outcome.unwrap_err().to_string(), "no such user");
        Ok(())
    });
}

#[test]
fn a_result_that_comes_late_is_passed_on() {
    run(async {
        let scope = timeout(SECOND)?;
        let outcome = scope.run(async {
            let _ = sleep(HOUR).await;
            Ok(42)
        });
        assert_eq!(outcome.await?, 42);
        assert!(scope.expired());
        yield_now().await
    });
}

#[test]
fn a_foreign_cancel_does_not_become_a_timeout() {
    run(async {
        let scope = timeout(HOUR)?;
        let outcome = scope.run(async {
            cancel_itself();
            sleep(HOUR).await
        });
        assert!(is_cancelled(&outcome.await));
        assert!(!scope.expired());
        Ok(())
    });
}

#[test]
fn a_cancellation_from_outside_wins_at_the_same_moment() {
    run(async {
        let task = create_task(async { timeout(SECOND)?.run(sleep(HOUR)).await })?;
        let outside = task.clone();
        get_running_loop()?.call_later(SECOND, move || {
            outside.cancel();
        });
        assert!(task.clone().await.unwrap_err().is_cancelled());
        assert_eq!(task.cancelling(), 1);
        Ok(())
    });
}

#[test]
fn nested_timeout_in_finally() {
    run(async {
        let outcome = timeout(SECOND)?
            .run(async {
                let outcome = sleep(HOUR).await;
                assert!(is_timeout(&timeout(SECOND)?.run(sleep(HOUR)).await));
                outcome
            })
            .await;
        assert!(is_timeout(&outcome));
        Ok(())
    });
}

#[test]
fn timeout_after_cancellation() {
    run(async {
        cancel_itself();
        assert!(is_cancelled(&sleep(HOUR).await));
        // The task goes on to clean up. It had one request to end before this limit.
        assert!(is_timeout(&timeout(Duration::ZERO)?.run(sleep(HOUR)).await));
        Ok(())
    });
}

#[test]
fn cancel_in_timeout_after_cancellation() {
    run(async {
        cancel_itself();
        assert!(is_cancelled(&sleep(HOUR).await));
        let outcome = timeout(SECOND)?
            .run(async {
                cancel_itself();
                sleep(HOUR).await
            })
            .await;
        assert!(is_cancelled(&outcome));
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
        poll_fn(|context| {
            assert!(block.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
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
    let mut block = Box::pin(scope.run(async { Ok(()) }));
    match block.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Err(Error::InvalidState(why))) => {
            assert_eq!(why, "Timeout should be used inside a task");
        }
        other => panic!("{other:?}"),
    }
}
