//! `gather` and `shield`: messages, callbacks that are left, and futures in each other. Results,
//! errors and cancellations are in the random programs of `differential`.

use std::cell::Cell;
use std::future::{pending, ready};
use std::rc::Rc;
use std::time::Duration;

use crate::common::ticks;
use crate::support::run;
use asyncio::{
    Error, EventLoop, Future, LoopError, Result, create_task, gather, gather_return_exceptions,
    get_running_loop, shield, sleep, yield_now,
};
use kit::limit_time;

fn futures<const COUNT: usize>() -> Result<[Future<u32>; COUNT]> {
    let event_loop = get_running_loop()?;
    Ok(std::array::from_fn(|_| event_loop.create_future()))
}

#[test]
fn what_has_ended_needs_no_tick() {
    run(async {
        let [one, other] = futures()?;
        one.set_result(1)?;
        other.set_result(2)?;
        assert!(shield(one.clone())?.done());
        assert!(gather([one, other])?.done());
        Ok(())
    });
}

#[test]
fn cancellation_broadcast() {
    run(async {
        let proof = Rc::new(Cell::new(0));
        let child = |proof: Rc<Cell<u32>>| async move {
            let ended = get_running_loop()?.create_future::<()>().await;
            proof.set(proof.get() + 1);
            ended
        };
        let outer = gather([child(Rc::clone(&proof)), child(Rc::clone(&proof))])?;
        yield_now().await?;
        assert!(outer.cancel_with("that's enough"));
        // The future isn't done before its children are done.
        assert!(!outer.done());
        assert_eq!(outer.await.unwrap_err().to_string(), "cancelled: that's enough");
        assert_eq!(proof.get(), 2);
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
fn cancelling_the_outer_one_leaves_the_inner_one_without_a_callback() {
    run(async {
        let [inner] = futures()?;
        let outer = shield(inner.clone())?;
        assert!(outer.cancel());
        assert!(outer.cancelled());
        ticks(2).await?;
        inner.set_result(42)?;
        // A callback would be ready to run now.
        assert_eq!(get_running_loop()?.select_timeout(), None);
        Ok(())
    });
}

#[test]
fn shield_gather() {
    run(async {
        let [one, other] = futures()?;
        let parent = gather([one.clone(), other.clone()])?;
        let outer = shield(parent.clone())?;
        outer.cancel();
        ticks(1).await?;
        assert!(outer.cancelled());
        one.set_result(1)?;
        other.set_result(2)?;
        assert_eq!(parent.await?, [1, 2]);
        Ok(())
    });
}

#[test]
fn gather_shield() {
    run(async {
        let [one, other] = futures()?;
        let inner = [shield(one.clone())?, shield(other.clone())?];
        let parent = gather(inner.clone())?;
        parent.cancel();
        assert!(parent.await.unwrap_err().is_cancelled());
        assert!(inner.iter().all(Future::cancelled));
        assert!(!one.done() && !other.done());
        Ok(())
    });
}

#[test]
fn outside_of_a_running_loop_they_fail() {
    limit_time();
    assert!(matches!(gather([pending::<Result<()>>()]), Err(LoopError::NoneIsRunning)));
    assert!(matches!(gather_return_exceptions([ready(Ok(()))]), Err(LoopError::NoneIsRunning)));
    assert!(matches!(shield(ready(Ok(()))), Err(LoopError::NoneIsRunning)));
    let stranger = EventLoop::new().unwrap();
    let future = stranger.create_future::<()>();
    run(async move {
        assert!(matches!(gather([future.clone()]), Err(LoopError::WrongLoop)));
        assert!(matches!(shield(future), Err(LoopError::WrongLoop)));
        Ok(())
    });
}
