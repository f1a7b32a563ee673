//! Tests of the loop's threads that no scene covers.

use std::cell::RefCell;
use std::collections::HashSet;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use kit::{Observer, Refusal, limit_time};
use step07_full_loop::{
    Error, EventLoop, Result, ThreadPool, create_task, get_running_loop, run, sleep, to_thread,
    yield_now,
};

/// Makes a loop whose pool has one thread and lets the thread wait at a gate.
fn loop_with_a_busy_thread() -> (EventLoop, mpsc::Sender<()>) {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
    let (open, gate) = mpsc::channel::<()>();
    let (tell, begun) = mpsc::channel();
    event_loop.run_in_executor(move || {
        tell.send(()).map_err(Error::other)?;
        gate.recv().map_err(Error::other)
    });
    begun.recv().unwrap();
    (event_loop, open)
}

#[test]
fn a_closed_loop_waits_for_no_thread_and_its_work_is_done_all_the_same() {
    limit_time();
    let (event_loop, open) = loop_with_a_busy_thread();
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    let (tell, told) = mpsc::channel();
    let future = event_loop.run_in_executor(move || {
        tell.send(thread::current().name().unwrap().to_owned()).unwrap();
        Err::<(), _>(Error::other("too late to be told"))
    });
    event_loop.close().unwrap();
    open.send(()).unwrap();
    assert_eq!(told.recv().unwrap(), "loop-worker 0");
    // The channel is closed when the work is over, and its outcome has been sent or dropped.
    assert!(told.recv().is_err());
    assert!(!future.done());
    drop(future);
    assert!(reports.borrow().is_empty(), "{reports:?}");
}

#[test]
fn a_pool_that_is_replaced_finishes_its_work() {
    limit_time();
    let (event_loop, open) = loop_with_a_busy_thread();
    let old = event_loop.run_in_executor(|| Ok("the old pool"));
    event_loop.set_default_executor(ThreadPool::default());
    let outcome = event_loop.run(async move {
        let new = to_thread(|| Ok("the new pool")).await?;
        open.send(()).map_err(Error::other)?;
        Ok((new, old.await?))
    });
    assert_eq!(outcome.unwrap(), ("the new pool", "the old pool"));
}

#[test]
fn two_that_shut_the_pool_down_both_wait_for_its_threads() {
    limit_time();
    let (event_loop, open) = loop_with_a_busy_thread();
    let log = Rc::<RefCell<Vec<&str>>>::default();
    let kept = Rc::clone(&log);
    event_loop
        .run(async move {
            for name in ["first", "second"] {
                let log = Rc::clone(&kept);
                create_task(async move {
                    get_running_loop()?.shutdown_default_executor().await?;
                    log.borrow_mut().push(name);
                    Ok(())
                })?;
            }
            sleep(Duration::from_millis(2)).await?;
            kept.borrow_mut().push("the gate opens");
            open.send(()).map_err(Error::other)?;
            get_running_loop()?.shutdown_default_executor().await?;
            yield_now().await
        })
        .unwrap();
    let log = log.borrow();
    assert_eq!(log[0], "the gate opens", "{log:?}");
}

#[test]
fn a_shutdown_of_no_pool_takes_no_tick_and_refuses_later_work() {
    limit_time();
    let refusal = run(async {
        let event_loop = get_running_loop()?;
        event_loop.shutdown_default_executor().await?;
        Ok(event_loop.run_in_executor(|| Ok(())).exception()?.unwrap().to_string())
    });
    assert_eq!(refusal.unwrap(), "Executor shutdown has been called");
}

#[test]
fn threads_are_used_again() {
    const WORK: usize = 500;
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_default_executor(ThreadPool::new(NonZero::new(WORK).unwrap()));
    let names = event_loop.run(async {
        let mut names = HashSet::new();
        for _ in 0..WORK {
            let name = || Ok(thread::current().name().unwrap().to_owned());
            names.insert(to_thread(name).await?);
        }
        Ok(names)
    });
    // A thread that has sent a result isn't back at once, so there can be a few.
    let names = names.unwrap();
    assert!(names.len() < WORK / 10, "{} threads for {WORK} pieces of work", names.len());
}

#[test]
fn the_default_pool_is_as_large_as_cpythons() {
    let processors = thread::available_parallelism().unwrap().get();
    let expected = format!("ThreadPool {{ max_threads: {}, .. }}", (processors + 4).min(32));
    assert_eq!(format!("{:?}", ThreadPool::default()), expected);
}

#[test]
fn a_thread_that_cannot_be_started_is_an_error_and_the_loop_is_closed_all_the_same() {
    limit_time();
    let refuse = |call| Refusal { call, argument: None, errno: libc::EAGAIN };
    let refusals = [libc::SYS_clone3, libc::SYS_clone].map(refuse);
    let refused = || {
        let event_loop = EventLoop::new().unwrap();
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let work = move || {
            drop(inside);
            Ok(())
        };
        let error = event_loop.run_until_complete(to_thread(work)).unwrap_err().to_string();
        assert!(error.contains("os error 11"), "{error}");
        assert_eq!(Arc::strong_count(&held), 1, "the work is dropped");
        let outcome = event_loop.run(async { Ok(()) });
        // The thread that waits for the others couldn't be started, either.
        (outcome.unwrap_err().to_string(), event_loop.is_closed())
    };
    let (error, is_closed) = Refusal::all_during(&refusals, refused).unwrap();
    assert!(error.contains("os error 11"), "{error}");
    assert!(is_closed);
}

#[test]
fn a_pool_whose_next_thread_cannot_be_started_does_all_with_those_it_has() {
    limit_time();
    let refuse = |call| Refusal { call, argument: None, errno: libc::EAGAIN };
    let refusals = [libc::SYS_clone3, libc::SYS_clone].map(refuse);
    let work_for_two = || {
        let ended = run(async {
            let (open, gate) = mpsc::channel();
            let first = create_task(to_thread(move || gate.recv().map_err(Error::other)))?;
            let second = create_task(to_thread(|| Ok(2)))?;
            // Both are queued in this tick, and the gate is still closed.
            yield_now().await?;
            open.send(1).map_err(Error::other)?;
            Ok((first.await?, second.await?))
        });
        ended.map_err(|error| error.to_string())
    };
    let observer = Observer::new().unwrap();
    let (ended, _) = observer.refusing(&refusals, 1, work_for_two);
    assert_eq!(ended, Ok((1, 2)));
    assert!(observer.has_refused());
}

/// Keeps the end of a channel until this thread ends.
fn keep_in_this_thread(tell: mpsc::Sender<()>) {
    thread_local! { static HELD: RefCell<Option<mpsc::Sender<()>>> = const { RefCell::new(None) }; }
    HELD.set(Some(tell));
}

#[test]
fn a_pool_that_is_replaced_or_dropped_with_its_loop_ends_its_threads() {
    limit_time();
    for is_replaced in [true, false] {
        let event_loop = EventLoop::new().unwrap();
        let (tell, ended) = mpsc::channel();
        event_loop.run_in_executor(move || {
            keep_in_this_thread(tell);
            Ok(())
        });
        if is_replaced {
            event_loop.set_default_executor(ThreadPool::default());
        } else {
            event_loop.close().unwrap();
        }
        // This returns with the end of the last sender, which the thread has.
        assert!(ended.recv().is_err());
    }
}

#[test]
fn work_that_waits_for_other_work_gets_a_thread_although_another_was_idle_before() {
    limit_time();
    run(async {
        for _ in 0..3 {
            to_thread(|| Ok(())).await?;
        }
        let (tell, told) = mpsc::channel();
        let waits = create_task(to_thread(move || told.recv().map_err(Error::other)))?;
        yield_now().await?;
        to_thread(move || tell.send(()).map_err(Error::other)).await?;
        waits.await
    })
    .unwrap();
}

/// A result whose destructor panics, on whichever thread.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("dropped"));
    }
}

#[test]
fn a_thread_survives_a_result_that_panics_when_it_is_dropped() {
    limit_time();
    let (event_loop, open) = loop_with_a_busy_thread();
    let dropped = event_loop.run_in_executor(|| Ok(Arc::new(PanicsWhenDropped)));
    let (tell, told) = mpsc::channel();
    event_loop.run_in_executor(move || tell.send("alive").map_err(Error::other));
    drop(dropped);
    // From here on the threads drop their results.
    event_loop.close().unwrap();
    open.send(()).unwrap();
    assert_eq!(told.recv().unwrap(), "alive");
}

#[test]
fn a_task_that_gives_up_leaves_the_others_their_threads() {
    limit_time();
    let sum = run(async {
        let tasks: Vec<_> = (0..200_u32)
            .map(|number| create_task(to_thread(move || Ok(number))))
            .collect::<std::result::Result<_, _>>()?;
        yield_now().await?;
        tasks.iter().step_by(2).for_each(|task| {
            task.cancel();
        });
        let mut sum = 0;
        for task in tasks {
            sum += match task.await {
                Ok(number) if number % 2 == 1 => number,
                Err(error) if error.is_cancelled() => 0,
                other => return other,
            };
        }
        Ok(sum)
    });
    assert_eq!(sum.unwrap(), 100 * 100);
}

#[test]
fn a_completer_is_known_by_its_number_in_debug_output() {
    let event_loop = EventLoop::new().unwrap();
    let completers = [(); 2].map(|()| event_loop.create_remote_future::<()>().1);
    let shown = completers.map(|completer| format!("{completer:?}"));
    assert_eq!(shown, ["Completer { number: 1, .. }", "Completer { number: 2, .. }"]);
    event_loop.close().unwrap();
}

#[test]
fn a_completer_that_is_dropped_lets_its_future_fail() {
    limit_time();
    let ended = run(async {
        let event_loop = get_running_loop()?;
        let (future, completer) = event_loop.create_remote_future::<()>();
        thread::spawn(move || drop(completer));
        let error = future.await.unwrap_err().to_string();
        assert_eq!(error, "the completer was dropped");
        assert!(!event_loop.waits_for_a_thread());
        Ok(())
    });
    ended.unwrap();
}

#[test]
fn a_loop_sleeps_again_when_its_completers_are_done_or_their_futures_cancelled() {
    limit_time();
    let (event_loop, open) = loop_with_a_busy_thread();
    let asked = event_loop.clone();
    let ended = event_loop.run_until_complete(async move {
        let (future, completer) = asked.create_remote_future();
        completer.complete(Ok(42))?;
        assert_eq!(future.await?, 42);
        asked.run_in_executor(|| Ok(())).cancel();
        for _ in 0..3 {
            yield_now().await?;
        }
        Ok(())
    });
    ended.unwrap();
    assert_eq!(event_loop.select_timeout(), None, "nothing is ready");
    open.send(()).unwrap();
    event_loop.close().unwrap();
}

/// A panic's payload, which panics when it's dropped, and so do several payloads after it.
struct PanicsAgain(u32);

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        if self.0 > 0 {
            std::panic::resume_unwind(Box::new(PanicsAgain(self.0 - 1)));
        }
    }
}

#[test]
fn a_thread_survives_a_panic_whose_payload_panics_again() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
    let answer = event_loop.run(async {
        let work = || -> Result<()> { std::panic::resume_unwind(Box::new(PanicsAgain(5))) };
        assert!(matches!(to_thread(work).await, Err(Error::Panicked(_))));
        to_thread(|| Ok(42)).await
    });
    assert_eq!(answer.unwrap(), 42);
}
