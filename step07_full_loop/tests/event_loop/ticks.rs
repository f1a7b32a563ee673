//! Properties of the loop that no scene shows.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::support::{Log, logs};
use kit::limit_time;
use step01_fd::pipe;
use step07_full_loop::{EventLoop, SIGUSR1, ThreadPool, VirtualClock};

fn stops(event_loop: &EventLoop) -> impl FnMut() + use<> {
    let event_loop = event_loop.clone();
    move || event_loop.stop()
}

#[test]
fn a_timer_never_fires_early_on_the_real_clock() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    for micros in [1, 100, 900, 1_500] {
        let (wanted, began) = (Duration::from_micros(micros), Instant::now());
        let stopper = event_loop.clone();
        event_loop.call_later(wanted, move || stopper.stop());
        event_loop.run_forever().unwrap();
        assert!(began.elapsed() >= wanted, "{:?} of {wanted:?}", began.elapsed());
    }
}

#[test]
fn a_cancelled_timer_does_not_fire_even_if_it_was_due_already() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let log = Log::default();
    let late = Rc::new(event_loop.call_later(Duration::from_secs(1), logs(&log, "late")));
    assert_eq!(late.when() - event_loop.time(), Duration::from_secs(1));
    assert!(!late.cancelled());
    let (first, victim) = (Rc::clone(&log), Rc::clone(&late));
    event_loop.call_at(late.when(), move || first.borrow_mut().push("never the second"));
    event_loop.call_later(Duration::ZERO, move || victim.cancel());
    event_loop.call_later(Duration::from_secs(2), stops(&event_loop));
    event_loop.run_forever().unwrap();
    assert!(late.cancelled());
    assert_eq!(*log.borrow(), ["never the second"]);
}

#[test]
fn a_loop_says_in_debug_output_whether_it_runs_or_is_closed() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    assert_eq!(format!("{event_loop:?}"), "EventLoop { running: false, closed: false, .. }");
    let inner = event_loop.clone();
    let running = event_loop.run_until_complete(async move { Ok(format!("{inner:?}")) });
    assert_eq!(running.unwrap(), "EventLoop { running: true, closed: false, .. }");
    event_loop.close().unwrap();
    assert_eq!(format!("{event_loop:?}"), "EventLoop { running: false, closed: true, .. }");
}

#[test]
fn a_closed_loop_holds_nothing_and_can_still_be_asked() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let (reader, _writer) = pipe().unwrap();
    event_loop.add_reader(&reader, || {}).unwrap();
    event_loop.call_later(Duration::ZERO, || {});
    let held = event_loop.held();
    assert_eq!((held.tasks, held.timers, held.descriptors), (0, 1, 1));
    event_loop.close().unwrap();
    let held = event_loop.held();
    assert_eq!((held.tasks, held.timers, held.descriptors), (0, 0, 0));
}

#[test]
fn work_for_a_closed_loop_is_a_mistake_and_the_panic_says_what_was_asked() {
    type Asks = fn(&EventLoop);
    const ASKED: [(&str, Asks); 10] = [
        ("call_soon", |it| drop(it.call_soon(|| {}))),
        ("call_at", |it| drop(it.call_at(it.time(), || {}))),
        ("call_at", |it| drop(it.call_later(Duration::ZERO, || {}))),
        ("create_task", |it| drop(it.create_task(async { Ok(()) }))),
        ("add_reader", |it| drop(it.add_reader(io::stdin(), || {}))),
        ("add_writer", |it| drop(it.add_writer(io::stdout(), || {}))),
        ("add_signal_handler", |it| drop(it.add_signal_handler(SIGUSR1, || {}))),
        ("run_in_executor", |it| drop(it.run_in_executor(|| Ok(())))),
        ("set_default_executor", |it| it.set_default_executor(ThreadPool::default())),
        ("poll_every", |it| it.poll_every(1)),
    ];
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    event_loop.close().unwrap();
    for (asked, ask) in ASKED {
        let payload = catch_unwind(AssertUnwindSafe(|| ask(&event_loop))).unwrap_err();
        let words = format!("{asked}: Event loop is closed");
        assert_eq!(payload.downcast_ref::<String>(), Some(&words));
    }
}
