//! The common code of the tests of single ticks.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use step01_fd::{pipe, write};
use step07_full_loop::EventLoop;

/// The names of the calls, in their order.
pub(crate) type Log = Rc<RefCell<Vec<&'static str>>>;

/// Makes a callback that says a line.
pub(crate) fn logs(log: &Log, line: &'static str) -> impl FnMut() + use<> {
    let log = Rc::clone(log);
    move || log.borrow_mut().push(line)
}

/// Runs exactly one tick, which doesn't sleep.
pub(crate) fn tick(event_loop: &EventLoop) {
    event_loop.stop();
    event_loop.run_forever().unwrap();
}

/// Makes a pipe with a byte in it.
pub(crate) fn readable() -> (OwnedFd, OwnedFd) {
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();
    (reader, writer)
}
