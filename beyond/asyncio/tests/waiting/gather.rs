//! `gather`: all results, the first error, and the effect of a cancellation.

use std::cell::Cell;
use std::future::{pending, ready};
use std::rc::Rc;
use std::time::Duration;

use crate::support::{run, ticks};
use asyncio::{
    Error, EventLoop, Future, LoopError, Result, create_task, ensure_future, gather,
    gather_return_exceptions, get_running_loop, sleep, yield_now,
};
use kit::limit_time;

const HOUR: Duration = Duration::from_hours(1);

fn futures<const COUNT: usize>() -> Result<[Future<u32>; COUNT]> {
    let event_loop = get_running_loop()?;
    Ok(std::array::from_fn(|_| event_loop.create_future()))
}

fn message(outcome: Result<impl Sized>) -> String {
    outcome.err().unwrap().to_string()
}

#[test]
fn results_come_in_the_order_of_the_arguments() {
    let results = run(async {
        let delays = [3, 1, 2].map(Duration::from_secs);
        gather(delays.map(|delay| async move { sleep(delay).await.map(|()| delay.as_secs()) }))?
            .await
    });
    assert_eq!(results, [3, 1, 2]);
}

#[test]
fn of_nothing_it_is_done_at_once() {
    run(async {
        let nothing = gather(Vec::<Future<u32>>::new())?;
        assert!(nothing.done());
        assert_eq!(nothing.await?, []);
        assert_eq!(gather_return_exceptions(Vec::<Future<u32>>::new())?.await?.len(), 0);
        Ok(())
    });
}

#[test]
fn a_coroutine_gets_a_task_and_a_future_stays_as_it_is() {
    run(async {
        let [future] = futures()?;
        let task = create_task(async { Ok(2) })?;
        let all = [ensure_future(ready(Ok(1)))?, task.future(), future.clone()];
        let outer = gather(all)?;
        future.set_result(3)?;
        assert_eq!(outer.await?, [1, 2, 3]);
        Ok(())
    });
}

#[test]
fn it_is_done_a_tick_after_the_last_child() {
    run(async {
        let [one, other] = futures()?;
        let outer = gather([one.clone(), other.clone()])?;
        one.set_result(1)?;
        ticks(3).await?;
        assert!(!outer.done());
        other.set_result(2)?;
        assert!(!outer.done());
        ticks(1).await?;
        assert!(outer.done());
        Ok(())
    });
}

#[test]
fn children_that_have_ended_need_no_tick() {
    run(async {
        let [one, other] = futures()?;
        one.set_result(1)?;
        other.set_result(2)?;
        assert!(gather([one, other])?.done());
        Ok(())
    });
}

#[test]
fn one_exception_is_the_outcome_at_once_and_the_siblings_run_on() {
    run(async {
        let [one, other, third] = futures()?;
        let outer = gather([one.clone(), other.clone(), third.clone()])?;
        one.set_result(1)?;
        other.set_exception(Error::other("no such user"))?;
        ticks(1).await?;
        assert_eq!(message(outer.clone().await), "no such user");
        assert!(!third.done());
        // The future is done, so it cancels nothing any more.
        assert!(!outer.cancel());
        third.set_result(3)?;
        assert_eq!(third.await?, 3);
        Ok(())
    });
}

#[test]
fn one_cancellation_is_the_outcome_and_the_siblings_run_on() {
    run(async {
        let [one, other] = futures()?;
        let outer = gather([one.clone(), other.clone()])?;
        one.cancel();
        assert!(outer.await.unwrap_err().is_cancelled());
        assert!(!other.done());
        Ok(())
    });
}

#[test]
fn return_exceptions_collects_errors_and_cancellations() {
    run(async {
        let [one, other, third] = futures()?;
        let outer = gather_return_exceptions([one.clone(), other.clone(), third.clone()])?;
        other.set_exception(Error::other("no such user"))?;
        third.cancel();
        ticks(3).await?;
        assert!(!outer.done());
        one.set_result(1)?;
        let results = outer.await?;
        assert_eq!(*results[0].as_ref().unwrap(), 1);
        assert_eq!(message(results[1].clone()), "no such user");
        assert!(results[2].as_ref().unwrap_err().is_cancelled());
        Ok(())
    });
}

#[test]
fn cancellation_broadcast() {
    run(async {
        let proof = Rc::new(Cell::new(0));
        let child = |proof: Rc<Cell<u32>>| async move {
            let ended = pending_future()?.await;
            proof.set(proof.get() + 1);
            ended
        };
        let outer = gather([child(Rc::clone(&proof)), child(Rc::clone(&proof))])?;
        yield_now().await?;
        assert!(outer.cancel_with("that's enough"));
        // The future isn't done before its children are done.
        assert!(!outer.done());
        let cancelled = outer.await;
        assert_eq!(message(cancelled), "cancelled: that's enough");
        assert_eq!(proof.get(), 2);
        Ok(())
    });
}

fn pending_future() -> Result<Future<()>> {
    Ok(get_running_loop()?.create_future())
}

#[test]
fn a_cancelled_child_that_goes_on_does_not_hide_the_cancellation() {
    run(async {
        let stubborn = async {
            let _ = sleep(HOUR).await;
            sleep(HOUR).await
        };
        let task = create_task(async { gather([stubborn])?.await })?;
        ticks(2).await?;
        let began = get_running_loop()?.time();
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(get_running_loop()?.time() - began, HOUR);
        Ok(())
    });
}

/// CPython's `test_cancel_gather_1`: once all children are done, a gather refuses to be cancelled.
#[test]
fn cancel_gather_1() {
    run(async {
        let [future] = futures()?;
        let inner = future.clone();
        let outer = gather([async move { Ok(inner.await? + 1) }])?;
        yield_now().await?;
        let answer = Rc::new(Cell::new(None));
        let (cancelled, kept) = (outer.clone(), Rc::clone(&answer));
        // The child ends in the same tick, before this is called.
        future.add_done_callback(move |_| kept.set(Some(cancelled.cancel())));
        future.set_result(42)?;
        assert_eq!(outer.clone().await?, [43]);
        assert_eq!(answer.get(), Some(false));
        Ok(())
    });
}

/// CPython's `test_cancel_gather_2`: the cancellation comes out although exceptions are results.
#[test]
fn cancel_gather_2() {
    run(async {
        for message in [None, Some("my message")] {
            let task = create_task(async {
                loop {
                    gather_return_exceptions([sleep(Duration::from_millis(50))])?.await?;
                }
                #[expect(unreachable_code, reason = "the type of the task")]
                Ok(())
            })?;
            sleep(Duration::from_millis(220)).await?;
            match message {
                None => task.cancel(),
                Some(message) => task.cancel_with(message),
            };
            let expected = Error::Cancelled(message.map(Into::into)).to_string();
            assert_eq!(task.await.unwrap_err().to_string(), expected);
        }
        Ok(())
    });
}

#[test]
fn a_task_is_cancelled_too_late_while_its_gather_is_about_to_end() {
    run(async {
        let [future] = futures()?;
        let child = future.clone();
        let task = create_task(async move { gather([child])?.await })?;
        ticks(2).await?;
        future.set_result(42)?;
        // The child is done, and its callback isn't called yet.
        assert!(task.cancel());
        ticks(1).await?;
        assert!(!task.done());
        ticks(1).await?;
        assert!(task.cancelled());
        Ok(())
    });
}

#[test]
fn a_circle_of_gathers_can_be_cancelled() {
    run(async {
        let [start] = futures::<1>()?;
        let first = Rc::new(Cell::new(Some(start.clone())));
        let inner = Rc::clone(&first);
        let one =
            create_task(async move { gather([inner.take().unwrap()])?.await.map(|it| it[0]) })?;
        first.set(Some(
            create_task({
                let one = one.clone();
                async move { gather([one])?.await.map(|it| it[0]) }
            })?
            .future(),
        ));
        ticks(2).await?;
        assert!(one.cancel());
        assert!(one.await.unwrap_err().is_cancelled());
        Ok(())
    });
}

#[test]
fn outside_of_a_running_loop_it_fails() {
    limit_time();
    assert!(matches!(gather([pending::<Result<()>>()]), Err(LoopError::NoneIsRunning)));
    assert!(matches!(gather_return_exceptions([ready(Ok(()))]), Err(LoopError::NoneIsRunning)));
    let stranger = EventLoop::new().unwrap();
    let future = stranger.create_future::<()>();
    run(async move {
        assert!(matches!(gather([future]), Err(LoopError::WrongLoop)));
        Ok(())
    });
}
