//! A loop nested in another loop or in another language.

use std::cell::Cell;
use std::env;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use step01_fd::write;
use step03_selector::{PollSelector, Selector};
use step07_full_loop::{
    EventLoop, Interest, errno, forget_running_loop, get_running_loop, yield_now,
};

use crate::support::{Log, logs, readable, tick};

const NOW: Option<Duration> = Some(Duration::ZERO);

/// Returns true if a tick of the loop would find an event, according to its descriptor.
fn would_find_something(event_loop: &EventLoop) -> bool {
    let (mut outer, mut ready) = (PollSelector::new(), Vec::new());
    outer.register(event_loop, Interest::READABLE, ()).unwrap();
    outer.select(NOW, &mut ready).unwrap();
    !ready.is_empty()
}

#[test]
fn a_loop_can_be_waited_for_like_a_descriptor() {
    let (log, event_loop) = (Log::default(), EventLoop::new().unwrap());
    assert!(!would_find_something(&event_loop));

    let (reader, writer) = step01_fd::pipe().unwrap();
    event_loop.add_reader(&reader, logs(&log, "read")).unwrap();
    assert!(!would_find_something(&event_loop));
    write(&writer, b"!").unwrap();
    assert!(would_find_something(&event_loop));
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["read"]);
    event_loop.remove_reader(&reader).unwrap();
    assert!(!would_find_something(&event_loop));

    let handle = event_loop.handle();
    let sent = thread::spawn(move || handle.call_soon_threadsafe(|| {}));
    sent.join().unwrap().unwrap();
    assert!(would_find_something(&event_loop));
    tick(&event_loop);
    assert!(!would_find_something(&event_loop));
}

#[test]
fn the_loops_descriptor_stays_the_same_and_outlives_its_close() {
    let event_loop = EventLoop::new().unwrap();
    let fd = event_loop.as_fd().as_raw_fd();
    assert_eq!(event_loop.clone().as_fd().as_raw_fd(), fd);
    event_loop.close().unwrap();
    assert_eq!(event_loop.as_fd().as_raw_fd(), fd);
    assert!(!would_find_something(&event_loop));
}

#[test]
#[should_panic(expected = "as_fd: Event loop is closed")]
fn a_closed_loop_has_no_descriptor_to_give_away() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.close().unwrap();
    let _ = event_loop.as_fd();
}

/// Schedules three callbacks and a task. The first callback schedules another callback, and the
/// second interrupts the run. Then runs the loop twice.
fn interrupted_in_the_middle(event_loop: &EventLoop) -> [Vec<&'static str>; 2] {
    let log = Log::default();
    let (inner, later) = (event_loop.clone(), logs(&log, "scheduled meanwhile"));
    let mut first = logs(&log, "first");
    event_loop.call_soon(move || {
        first();
        inner.call_soon(later);
    });
    let (inner, mut second) = (event_loop.clone(), logs(&log, "second"));
    event_loop.call_soon(move || {
        second();
        inner.interrupt();
    });
    event_loop.call_soon(logs(&log, "third"));
    let mut step = logs(&log, "a task");
    event_loop.create_task(async move {
        step();
        Ok(())
    });
    event_loop.run_forever().unwrap();
    let first_run = log.take();
    tick(event_loop);
    tick(event_loop);
    [first_run, log.take()]
}

#[test]
fn an_interrupted_tick_runs_nothing_more_and_its_rest_comes_first_in_the_next_run() {
    let event_loop = EventLoop::new().unwrap();
    let [first_run, second_run] = interrupted_in_the_middle(&event_loop);
    assert_eq!(first_run, ["first", "second"]);
    assert_eq!(second_run, ["third", "a task", "scheduled meanwhile"]);
}

#[test]
fn a_loop_that_is_observed_is_interrupted_as_well() {
    let (event_loop, ran) = (EventLoop::new().unwrap(), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&ran);
    event_loop.set_trace(move |tick| counted.set(counted.get() + tick.ran.len()));
    let [first_run, second_run] = interrupted_in_the_middle(&event_loop);
    assert_eq!(first_run, ["first", "second"]);
    assert_eq!(second_run, ["third", "a task", "scheduled meanwhile"]);
    // A callback that's put aside hasn't run, so it's counted once.
    assert_eq!(ran.get(), 5);
}

#[test]
fn turning_debug_mode_off_does_not_undo_an_interruption() {
    let (log, event_loop) = (Log::default(), EventLoop::new().unwrap());
    let inner = event_loop.clone();
    event_loop.set_debug(true);
    event_loop.call_soon(move || {
        inner.interrupt();
        inner.set_debug(false);
    });
    event_loop.call_soon(logs(&log, "the next run"));
    event_loop.run_forever().unwrap();
    assert!(log.take().is_empty());
    tick(&event_loop);
    assert_eq!(log.take(), ["the next run"]);
}

#[test]
fn a_loop_interrupted_before_its_run_runs_nothing_in_it_and_asks_for_no_event() {
    let (log, event_loop) = (Log::default(), EventLoop::new().unwrap());
    let (reader, _writer) = readable();
    event_loop.add_reader(&reader, logs(&log, "read")).unwrap();
    event_loop.call_soon(logs(&log, "soon"));
    event_loop.interrupt();
    event_loop.run_forever().unwrap();
    assert!(log.take().is_empty());
    tick(&event_loop);
    // Once: the interrupted run hasn't queued the reader as well.
    assert_eq!(log.take(), ["soon", "read"]);
}

#[test]
fn what_an_interrupted_tick_has_left_can_be_cancelled_and_is_dropped_with_the_loop() {
    let (log, event_loop) = (Log::default(), EventLoop::new().unwrap());
    let inner = event_loop.clone();
    event_loop.call_soon(move || inner.interrupt());
    let cancelled = event_loop.call_soon(logs(&log, "cancelled"));
    let owned = Rc::new(());
    let kept = Rc::clone(&owned);
    event_loop.call_soon(move || drop(kept));
    event_loop.run_forever().unwrap();
    cancelled.cancel();
    event_loop.close().unwrap();
    assert_eq!(Rc::strong_count(&owned), 1);
    assert!(log.take().is_empty());
}

#[test]
fn a_child_forgets_its_parents_loop_and_runs_one_of_its_own() {
    let (parents, ended) = (EventLoop::new().unwrap(), Rc::new(Cell::new(None)));
    let noted = Rc::clone(&ended);
    // As in a child that was forked here.
    parents.call_soon(move || {
        forget_running_loop();
        assert!(get_running_loop().is_err());
        let main = async { yield_now().await.map(|()| "its own") };
        noted.set(Some(EventLoop::new().unwrap().run(main).unwrap()));
    });
    tick(&parents);
    assert_eq!(ended.get(), Some("its own"));
}

#[test]
fn the_handle_of_a_reader_silences_it() {
    let (log, event_loop) = (Log::default(), EventLoop::new().unwrap());
    let (reader, _writer) = readable();
    let handle = event_loop.add_reader(&reader, logs(&log, "read")).unwrap();
    tick(&event_loop);
    handle.cancel();
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["read"]);
    assert!(event_loop.remove_reader(&reader).unwrap());
    // A callback that replaces the reader has another handle.
    let first = event_loop.add_reader(&reader, logs(&log, "first")).unwrap();
    event_loop.add_reader(&reader, logs(&log, "second")).unwrap();
    assert!(first.cancelled());
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["read", "second"]);
}

#[test]
fn the_number_of_an_error_is_known_although_its_text_names_the_call() {
    let event_loop = EventLoop::new().unwrap();
    let file = File::open(env::current_exe().unwrap()).unwrap();
    let error = event_loop.add_reader(&file, || {}).unwrap_err();
    assert_eq!(errno(&error), Some(libc::EPERM));
}
