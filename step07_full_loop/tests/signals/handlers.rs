//! Signals that arrive while something else happens. The only test of its file, because signals
//! belong to the whole process.

use std::io::ErrorKind;

use crate::loop_support::{Log, logs, tick};
use kit::Observer;
use step05_selfpipe::raise;
use step07_full_loop::{EventLoop, SIGUSR1, SIGUSR2};

#[test]
fn a_signal_is_neither_lost_nor_left_to_the_system() {
    let _alone = crate::alone();
    one_is_found_though_the_loop_has_taken_what_was_sent_before();
    one_that_has_arrived_is_the_new_handlers();
    one_whose_handler_is_queued_is_the_old_handlers();
    one_is_always_handled_while_its_handler_is_replaced();
    a_handler_that_is_refused_leaves_the_old_one();
    the_last_handler_leaves_the_signals_to_other_loops();
}

fn one_is_found_though_the_loop_has_taken_what_was_sent_before() {
    let event_loop = EventLoop::new().unwrap();
    let stopper = event_loop.clone();
    event_loop.add_signal_handler(SIGUSR1, move || stopper.stop()).unwrap();
    let (inner, handle) = (event_loop.clone(), event_loop.handle());
    event_loop.call_soon(move || {
        handle.call_soon_threadsafe(|| {}).unwrap();
        raise(SIGUSR1).unwrap();
        // Takes the messages first. Were the pipe drained here, the loop would sleep forever.
        inner.call_soon(|| {});
    });
    event_loop.run_forever().unwrap();
    event_loop.close().unwrap();
}

fn one_that_has_arrived_is_the_new_handlers() {
    let (event_loop, log) = (EventLoop::new().unwrap(), Log::default());
    event_loop.add_signal_handler(SIGUSR1, logs(&log, "old")).unwrap();
    raise(SIGUSR1).unwrap();
    event_loop.add_signal_handler(SIGUSR1, logs(&log, "new")).unwrap();
    for _ in 0..3 {
        tick(&event_loop);
    }
    assert_eq!(*log.borrow(), ["new"]);
    event_loop.close().unwrap();
}

/// The old handler still runs in the next tick, as in asyncio, even if it's removed or replaced.
fn one_whose_handler_is_queued_is_the_old_handlers() {
    for is_replaced in [true, false] {
        let (event_loop, log) = (EventLoop::new().unwrap(), Log::default());
        event_loop.add_signal_handler(SIGUSR1, logs(&log, "old")).unwrap();
        raise(SIGUSR1).unwrap();
        // The loop drains its pipe, and behind that the callback has to come.
        tick(&event_loop);
        let (inner, new) = (event_loop.clone(), logs(&log, "new"));
        if is_replaced {
            inner.add_signal_handler(SIGUSR1, new).unwrap();
        } else {
            assert!(inner.remove_signal_handler(SIGUSR1).unwrap());
        }
        tick(&event_loop);
        assert_eq!(*log.borrow(), ["old"]);
        event_loop.close().unwrap();
    }
}

/// No system call changes the signal's action, so the default action never applies in between.
fn one_is_always_handled_while_its_handler_is_replaced() {
    let replace = |times: usize| {
        let event_loop = EventLoop::new().unwrap();
        for _ in 0..=times {
            event_loop.add_signal_handler(SIGUSR1, || {}).unwrap();
        }
        event_loop.close().unwrap();
    };
    let observer = Observer::new().unwrap();
    let calls_for = |times| observer.calls_of(|| replace(times)).1;
    assert_eq!(calls_for(10), calls_for(0));
}

fn a_handler_that_is_refused_leaves_the_old_one() {
    let (event_loop, log) = (EventLoop::new().unwrap(), Log::default());
    event_loop.add_signal_handler(SIGUSR1, logs(&log, "old")).unwrap();
    let refused = event_loop.add_signal_handler(libc::SIGKILL, || {}).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    raise(SIGUSR1).unwrap();
    for _ in 0..3 {
        tick(&event_loop);
    }
    assert_eq!(*log.borrow(), ["old"]);
    event_loop.close().unwrap();
}

fn the_last_handler_leaves_the_signals_to_other_loops() {
    let (one, other) = (EventLoop::new().unwrap(), EventLoop::new().unwrap());
    one.add_signal_handler(SIGUSR1, || {}).unwrap();
    one.add_signal_handler(SIGUSR2, || {}).unwrap();
    assert!(one.remove_signal_handler(SIGUSR1).unwrap());
    let refused = other.add_signal_handler(SIGUSR1, || {}).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert!(one.remove_signal_handler(SIGUSR2).unwrap());
    other.add_signal_handler(SIGUSR1, || {}).unwrap();
    other.close().unwrap();
    // A handler that's refused takes nothing, either.
    one.add_signal_handler(libc::SIGKILL, || {}).unwrap_err();
    let third = EventLoop::new().unwrap();
    third.add_signal_handler(SIGUSR1, || {}).unwrap();
    third.close().unwrap();
}
