//! A closed loop holds no descriptor, and a dropped loop holds none, either.

use std::future::pending;
use std::rc::{Rc, Weak};
use std::time::Duration;

use kit::limit_time;
use step01_fd::{open_descriptors, pipe};
use step07_full_loop::{EventLoop, SIGUSR1, sleep};

pub(crate) fn a_loop_that_is_closed_or_dropped_gives_its_descriptors_back() {
    limit_time();
    let before = open_descriptors().unwrap().len();
    for _ in 0..3 {
        a_closed_loop_whose_callbacks_hold_it();
        a_dropped_loop();
        assert_eq!(open_descriptors().unwrap().len(), before);
    }
}

fn a_closed_loop_whose_callbacks_hold_it() {
    let event_loop = EventLoop::new().unwrap();
    let (reader, writer) = pipe().unwrap();
    let itself = event_loop.clone();
    event_loop.add_reader(&reader, move || itself.stop()).unwrap();
    let itself = event_loop.clone();
    event_loop.add_signal_handler(SIGUSR1, move || itself.stop()).unwrap();
    let itself = event_loop.clone();
    event_loop.create_task::<()>(async move {
        let _held = (itself, writer);
        pending().await
    });
    let itself = event_loop.clone();
    event_loop.set_exception_handler(move |_| itself.stop());
    event_loop.set_debug(true);
    event_loop.close().unwrap();
}

/// No object in the loop refers to the loop. The loop runs once, so that a task waits in the
/// middle.
fn a_dropped_loop() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    let held = Rc::new(pipe().unwrap());
    let weak = Rc::downgrade(&held);
    let keeps = || {
        let held = Rc::clone(&held);
        move || drop(Rc::clone(&held))
    };
    event_loop.call_soon(keeps());
    event_loop.call_later(Duration::from_hours(1), keeps());
    event_loop.add_reader(&held.0, keeps()).unwrap();
    event_loop.add_signal_handler(SIGUSR1, keeps()).unwrap();
    let (future, kept) = (event_loop.create_future::<()>(), Rc::clone(&held));
    let waited_for = future.clone();
    future.add_done_callback(move |_| drop(kept));
    event_loop.create_task(waited_for);
    let kept = Rc::clone(&held);
    event_loop.create_task(async move {
        let _kept = kept;
        sleep(Duration::from_hours(1)).await
    });
    drop((event_loop, future, held));
    assert_eq!(Weak::strong_count(&weak), 0);
}
