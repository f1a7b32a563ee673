//! A closed loop holds no descriptor. The only test of its file, for it counts the descriptors of the
//! whole process.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::future::pending;

use kit::limit_time;
use step01_fd::{open_descriptors, pipe};
use step07_full_loop::{EventLoop, SIGUSR1};

#[test]
fn a_closed_loop_gives_its_descriptors_back_though_its_callbacks_hold_it() {
    limit_time();
    let before = open_descriptors().unwrap().len();
    let event_loop = EventLoop::new().unwrap();
    let (reader, writer) = pipe().unwrap();
    let itself = event_loop.clone();
    event_loop.add_reader(&reader, move || itself.stop()).unwrap();
    let itself = event_loop.clone();
    event_loop.add_signal_handler(SIGUSR1, move || itself.stop()).unwrap();
    let itself = event_loop.clone();
    event_loop.create_task::<()>(async move {
        let _held = itself;
        pending().await
    });
    event_loop.set_exception_handler(|_| {});
    event_loop.close().unwrap();
    drop((event_loop, reader, writer));
    assert_eq!(open_descriptors().unwrap().len(), before);
}
