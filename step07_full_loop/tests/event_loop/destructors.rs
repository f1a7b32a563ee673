//! Destructors that use the loop while it's closed, and some that panic.

use std::cell::RefCell;
use std::future::pending;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use step01_fd::pipe;
use step07_full_loop::{EventLoop, LoopError, yield_now};

type Log = Rc<RefCell<Vec<String>>>;

/// Calls a function when it's dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Makes the calling callback own the value.
fn holds<T>(_held: &T) {}

/// Makes a guard that notes its end and then panics.
fn panics(log: &Log, name: &str) -> OnDrop<impl FnMut() + use<>> {
    let (log, name) = (Rc::clone(log), name.to_owned());
    OnDrop(move || {
        log.borrow_mut().push(name.clone());
        resume_unwind(Box::new(name.clone()));
    })
}

fn reported_to(log: &Log, event_loop: &EventLoop) {
    let log = Rc::clone(log);
    event_loop.set_exception_handler(move |report| log.borrow_mut().push(report.to_string()));
}

#[test]
fn a_destructor_can_remove_what_a_closed_loop_has_no_more() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    reported_to(&log, &event_loop);
    let (inner, notes, ends) = (event_loop.clone(), Rc::clone(&log), pipe().unwrap());
    event_loop.add_reader(&ends.0, || {}).unwrap();
    event_loop.add_writer(&ends.1, || {}).unwrap();
    let timer = event_loop.call_later(Duration::from_secs(1), || {});
    let guard = OnDrop(move || {
        assert!(!inner.remove_reader(&ends.0).unwrap());
        assert!(!inner.remove_writer(&ends.1).unwrap());
        assert!(!inner.remove_signal_handler(step07_full_loop::SIGUSR2).unwrap());
        assert!(matches!(inner.call_soon_threadsafe(|| {}), Err(LoopError::Closed)));
        assert!(matches!(inner.run_forever(), Err(LoopError::Closed)));
        inner.stop();
        timer.cancel();
        inner.close().unwrap();
        notes.borrow_mut().push("all was answered".to_owned());
    });
    event_loop.create_task::<()>(async move {
        let _guard = guard;
        pending().await
    });
    event_loop.create_task(yield_now());
    event_loop.stop();
    event_loop.run_forever().unwrap();
    event_loop.close().unwrap();
    let destroyed = "Task was destroyed but it is pending!";
    assert_eq!(*log.borrow(), [destroyed, destroyed, "all was answered"], "once each");
}

#[test]
fn a_destructor_that_panics_spares_all_others() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    reported_to(&log, &event_loop);
    let (one, other) = step01_fd::socketpair().unwrap();
    let held = |name| {
        let guard = panics(&log, name);
        move || holds(&guard)
    };
    let mut completers = Vec::new();
    // Two of each kind: the second panic would end the process during the first unwinding.
    event_loop.call_soon(held("callback"));
    event_loop.call_soon(held("callback"));
    event_loop.call_later(Duration::from_secs(1), held("timer"));
    event_loop.call_later(Duration::from_secs(2), held("timer"));
    event_loop.add_reader(&one, held("reader")).unwrap();
    event_loop.add_writer(&one, held("writer")).unwrap();
    event_loop.add_reader(&other, held("reader")).unwrap();
    for _ in 0..2 {
        let guard = panics(&log, "coroutine");
        event_loop.create_task::<()>(async move {
            let _guard = guard;
            pending().await
        });
    }
    for _ in 0..2 {
        // The table of remote futures has the only handle to the future.
        let (future, completer) = event_loop.create_remote_future::<()>();
        let guard = panics(&log, "remote future");
        future.add_done_callback(move |_| holds(&guard));
        completers.push(completer);
    }
    let guard = panics(&log, "tracer");
    event_loop.set_trace(move |_| holds(&guard));
    event_loop.close().unwrap();
    let log = log.borrow();
    let count = |wanted: &str| log.iter().filter(|line| *line == wanted).count();
    for (name, expected) in [
        ("callback", 2),
        ("timer", 2),
        ("reader", 2),
        ("writer", 1),
        ("coroutine", 2),
        ("remote future", 2),
        ("tracer", 1),
    ] {
        assert_eq!(count(name), expected, "{name} in {log:?}");
        let report = format!("Exception in a destructor: panicked: {name}");
        assert_eq!(count(&report), expected, "{report} in {log:?}");
    }
    assert!(event_loop.is_closed());
}

#[test]
fn handing_work_to_a_closed_loop_from_a_destructor_is_reported() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    reported_to(&log, &event_loop);
    let inner = event_loop.clone();
    let guard = OnDrop(move || drop(inner.call_soon(|| {})));
    event_loop.call_soon(move || holds(&guard));
    let (future, notes) = (event_loop.create_future::<()>(), Rc::clone(&log));
    let finished = future.clone();
    future.add_done_callback(move |_| notes.borrow_mut().push("never runs".to_owned()));
    let guard = OnDrop(move || drop(finished.set_result(())));
    event_loop.call_soon(move || holds(&guard));
    event_loop.close().unwrap();
    assert_eq!(
        *log.borrow(),
        ["Exception in a destructor: panicked: call_soon: Event loop is closed"],
    );
    assert!(future.done());
    assert_eq!(Rc::strong_count(&log), 1, "callback and handler were dropped with the loop");
}

#[test]
fn the_exception_handler_goes_last_and_its_destructor_spares_the_program() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    let (guard, notes) = (panics(&log, "handler"), Rc::clone(&log));
    event_loop.set_exception_handler(move |report| {
        holds(&guard);
        notes.borrow_mut().push(report.to_string());
    });
    let guard = panics(&log, "callback");
    event_loop.call_soon(move || holds(&guard));
    event_loop.close().unwrap();
    let report = "Exception in a destructor: panicked: callback";
    assert_eq!(*log.borrow(), ["callback", report, "handler"]);
}
