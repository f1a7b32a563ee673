//! `run` and a `Runner`: the tasks that a main leaves, and the returned outcomes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use step07_full_loop::{
    Error, EventLoop, LoopError, Runner, VirtualClock, create_task, current_task, get_running_loop,
    run, sleep, yield_now,
};

#[test]
fn a_main_that_is_cancelled_without_a_signal_is_not_interrupted() {
    limit_time();
    let outcome = run(async {
        current_task().unwrap().cancel();
        yield_now().await
    });
    let is_cancelled = matches!(&outcome, Err(LoopError::Task(error)) if error.is_cancelled());
    assert!(is_cancelled, "{outcome:?}");
}

#[test]
fn a_task_that_never_ends_does_not_keep_others_from_running() {
    limit_time();
    run(async {
        let spinner = create_task::<()>(async {
            loop {
                yield_now().await?;
            }
        })?;
        sleep(Duration::from_millis(2)).await?;
        spinner.cancel();
        assert!(spinner.await.unwrap_err().is_cancelled());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_runner_keeps_its_loop_and_its_tasks_from_one_main_to_the_next() {
    limit_time();
    let runner = Runner::with_clock(VirtualClock::new()).unwrap();
    let main = async { create_task(sleep(Duration::from_secs(5))).map_err(Error::from) };
    let sleeper = runner.run(main).unwrap();
    assert!(!sleeper.done());
    runner.run(sleep(Duration::from_secs(6))).unwrap();
    assert!(sleeper.done() && !sleeper.cancelled());
    runner.close().unwrap();
    runner.close().unwrap();
    assert!(matches!(runner.run(async { Ok(()) }), Err(LoopError::RunnerClosed)));
}

#[test]
fn a_dropped_runner_cancels_its_tasks_and_closes_its_loop() {
    limit_time();
    let runner = Runner::new().unwrap();
    let event_loop = runner.get_loop().clone();
    let main = async { create_task(sleep(Duration::from_hours(1))).map_err(Error::from) };
    let sleeper = runner.run(main).unwrap();
    drop(runner);
    assert!(event_loop.is_closed());
    assert!(sleeper.cancelled(), "it was asked to end");
}

#[test]
fn a_callback_has_its_turn_before_a_loop_without_tasks_and_threads_is_closed() {
    limit_time();
    let runner = Runner::new().unwrap();
    runner.run(async { Ok(()) }).unwrap();
    let ran = Rc::new(Cell::new(false));
    let notes = Rc::clone(&ran);
    runner.get_loop().call_soon(move || notes.set(true));
    runner.close().unwrap();
    assert!(ran.get());
}

#[test]
fn run_inside_a_run_is_refused_and_the_outer_one_goes_on() {
    limit_time();
    let outer = run(async {
        let refused = run(async { panic!("it never begins") });
        assert!(matches!(refused, Err::<(), _>(LoopError::AnotherIsRunning)), "{refused:?}");
        let refused = get_running_loop()?.run(async { panic!("it never begins") });
        assert!(matches!(refused, Err::<(), _>(LoopError::AlreadyRunning)), "{refused:?}");
        let refused = Runner::of(get_running_loop()?).close();
        assert!(matches!(refused, Err(LoopError::CloseWhileRunning)), "{refused:?}");
        sleep(Duration::from_millis(1)).await?;
        Ok(42)
    });
    assert_eq!(outer.unwrap(), 42);
}

#[test]
fn a_mains_error_is_not_lost_if_the_cleanup_is_stopped_and_the_loop_is_closed() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let outcome = event_loop.run::<()>(async {
        create_task(async {
            let cancelled = sleep(Duration::from_hours(1)).await;
            // The stop ends the clean-up early.
            get_running_loop()?.stop();
            yield_now().await?;
            cancelled
        })?;
        yield_now().await?;
        Err(Error::other("main failed"))
    });
    assert_eq!(outcome.unwrap_err().to_string(), "main failed");
    assert!(event_loop.is_closed());
}
