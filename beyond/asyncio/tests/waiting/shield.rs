//! `shield`: the inner future isn't cancelled.

use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;

use crate::support::{run, ticks};
use asyncio::{
    Error, EventLoop, Future, LoopError, Result, create_task, gather, get_running_loop, shield,
};
use kit::limit_time;

fn future() -> Result<Future<u32>> {
    Ok(get_running_loop()?.create_future())
}

#[test]
fn a_result_comes_out() {
    run(async {
        let inner = future()?;
        let outer = shield(inner.clone())?;
        inner.set_result(42)?;
        assert_eq!(outer.await?, 42);
        // A future that's done needs no shield and no tick.
        assert!(shield(inner.clone())?.done());
        assert_eq!(shield(inner)?.await?, 42);
        assert_eq!(shield(ready(Ok(42)))?.await?, 42);
        Ok(())
    });
}

#[test]
fn an_exception_comes_out() {
    run(async {
        let inner = future()?;
        let outer = shield(inner.clone())?;
        inner.set_exception(Error::other("no such user"))?;
        assert_eq!(outer.await.unwrap_err().to_string(), "no such user");
        Ok(())
    });
}

#[test]
fn cancelling_the_inner_one_cancels_the_outer_one() {
    run(async {
        let inner = future()?;
        let outer = shield(inner.clone())?;
        inner.cancel();
        ticks(1).await?;
        assert!(outer.cancelled());
        Ok(())
    });
}

#[test]
fn cancelling_the_outer_one_leaves_the_inner_one_without_a_callback() {
    run(async {
        let inner = future()?;
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
fn shield_effect() {
    run(async {
        let proof = Rc::new(Cell::new(0));
        let waiter = future()?;
        let (inner_proof, inner_waiter) = (Rc::clone(&proof), waiter.clone());
        let inner = async move {
            inner_waiter.await?;
            inner_proof.set(inner_proof.get() + 1);
            Ok(())
        };
        let outer_proof = Rc::clone(&proof);
        let outer = create_task(async move {
            shield(inner)?.await?;
            outer_proof.set(outer_proof.get() + 100);
            Ok(())
        })?;
        ticks(2).await?;
        outer.cancel();
        assert!(outer.await.unwrap_err().is_cancelled());
        waiter.set_result(1)?;
        ticks(1).await?;
        assert_eq!(proof.get(), 1);
        Ok(())
    });
}

#[test]
fn shield_gather() {
    run(async {
        let (one, other) = (future()?, future()?);
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
        let (one, other) = (future()?, future()?);
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
fn outside_of_a_running_loop_it_fails() {
    limit_time();
    assert!(matches!(shield(ready(Ok(()))), Err(LoopError::NoneIsRunning)));
    let stranger = EventLoop::new().unwrap();
    let future = stranger.create_future::<()>();
    run(async move {
        assert!(matches!(shield(future), Err(LoopError::WrongLoop)));
        Ok(())
    });
}
