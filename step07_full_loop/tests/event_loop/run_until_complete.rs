//! `run_until_complete` and `ensure_future` with a coroutine, a future and a task.

use std::time::Duration;

use kit::limit_time;
use step07_full_loop::{EventLoop, LoopError, ensure_future, run, sleep, yield_now};

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
