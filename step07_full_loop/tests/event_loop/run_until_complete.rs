//! `run_until_complete` and `ensure_future` with a coroutine, a future and a task.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use step07_full_loop::{EventLoop, LoopError, VirtualClock, ensure_future, run, sleep, yield_now};

/// Counts the loop's ticks, from the next tick on.
fn count_ticks(event_loop: &EventLoop) -> Rc<Cell<u32>> {
    let count = Rc::new(Cell::new(0));
    count_on(event_loop.clone(), Rc::clone(&count));
    count
}

fn count_on(event_loop: EventLoop, count: Rc<Cell<u32>>) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        count.set(count.get() + 1);
        count_on(next, count);
    });
}

#[test]
fn only_a_coroutine_costs_a_task_and_a_tick() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let future = event_loop.create_future();
    future.set_result(1).unwrap();
    let ticks = count_ticks(&event_loop);
    assert_eq!(event_loop.run_until_complete(future.clone()).unwrap(), 1);
    assert_eq!(ticks.replace(0), 1, "the callback on the future's end stops the loop");

    let task = event_loop.create_task(async { Ok(2) });
    assert_eq!(event_loop.run_until_complete(task).unwrap(), 2);
    assert_eq!(ticks.replace(0), 2, "a step and a callback");

    assert_eq!(event_loop.run_until_complete(async move { Ok(future.await? + 2) }).unwrap(), 3);
    assert_eq!(ticks.get(), 2);
    event_loop.close().unwrap();
}

#[test]
fn a_future_of_another_loop_is_refused() {
    limit_time();
    let (event_loop, other) = (EventLoop::new().unwrap(), EventLoop::new().unwrap());
    let future = other.create_future::<()>();
    let task = other.create_task(async { Ok(()) });
    for refused in
        [event_loop.run_until_complete(future), event_loop.run_until_complete(task.clone())]
    {
        assert!(matches!(refused, Err(LoopError::WrongLoop)), "{refused:?}");
    }
    other.run_until_complete(task).unwrap();
    assert!(!event_loop.is_running());
    other.close().unwrap();
    event_loop.close().unwrap();
}

#[test]
fn a_loop_that_may_not_run_does_not_wrap_the_coroutine() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let inner = event_loop.clone();
    let refused = event_loop.run_until_complete(async move {
        let refused = inner.run_until_complete(async { panic!("it never begins") });
        // One turn, in which a task would begin.
        yield_now().await?;
        Ok(matches!(refused, Err::<(), _>(LoopError::AlreadyRunning)))
    });
    assert!(refused.unwrap());
    event_loop.close().unwrap();
    let refused = event_loop.run_until_complete(async { Ok(()) });
    assert!(matches!(refused, Err(LoopError::Closed)));
}

#[test]
fn ensure_future_gives_back_the_same_future() {
    limit_time();
    run(async {
        let event_loop = step07_full_loop::get_running_loop()?;
        let future = event_loop.create_future();
        let same = ensure_future(future.clone())?;
        future.set_result(1)?;
        assert!(same.done());
        let task = event_loop.create_task(sleep(Duration::from_hours(1)));
        yield_now().await?;
        ensure_future(task.clone())?.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(ensure_future(async { Ok(3) })?.await?, 3);
        Ok(())
    })
    .unwrap();
    assert!(matches!(ensure_future(async { Ok(()) }), Err(LoopError::NoneIsRunning)));
}

#[test]
fn a_run_that_was_stopped_early_does_not_stop_a_later_one() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let stopper = event_loop.clone();
    event_loop.call_soon(move || stopper.stop());
    let early = event_loop.run_until_complete(sleep(Duration::from_secs(1)));
    assert!(matches!(early, Err(LoopError::StoppedEarly)));
    event_loop.run_until_complete(sleep(Duration::from_secs(5))).unwrap();
}
