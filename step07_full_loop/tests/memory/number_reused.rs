//! A descriptor that's closed while the loop still knows its number.

use std::cell::Cell;
use std::os::fd::AsRawFd;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use crate::support::{Log, logs, readable, tick};
use kit::limit_time;
use step07_full_loop::EventLoop;

pub(crate) fn a_reader_that_closes_its_own_descriptor_is_not_called_again() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    let (first, _writer) = readable();
    let number = first.as_raw_fd();
    let reader = Rc::new(Cell::new(None));
    let (owned, mut called) = (Rc::clone(&reader), logs(&log, "first"));
    let close = move || {
        called();
        drop::<Option<OwnedFd>>(owned.take());
    };
    event_loop.add_reader(&first, close).unwrap();
    reader.set(Some(first));
    for _ in 0..3 {
        tick(&event_loop);
    }
    assert_eq!(*log.borrow(), ["first"]);
    // The program should have removed the reader first: the kernel gives the same number to the
    // next descriptor, and the loop still knows the old descriptor by it, as in asyncio.
    let (other, _writer) = readable();
    assert_eq!(other.as_raw_fd(), number);
    assert!(event_loop.remove_reader(&other).unwrap());
    event_loop.add_reader(&other, logs(&log, "other")).unwrap();
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["first", "other"]);
    assert!(event_loop.remove_reader(&other).unwrap());
    event_loop.close().unwrap();
}

pub(crate) fn a_closed_descriptor_s_number_is_forgotten_in_both_directions() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    let (closed, _writer) = readable();
    let number = closed.as_raw_fd();
    event_loop.add_reader(&closed, logs(&log, "closed")).unwrap();
    event_loop.add_writer(&closed, logs(&log, "closed")).unwrap();
    drop(closed);
    let (other, _writer) = readable();
    assert_eq!(other.as_raw_fd(), number);
    // The kernel knows nothing of the registration that this call would change.
    event_loop.remove_reader(&other).unwrap_err();
    assert!(!event_loop.remove_reader(&other).unwrap());
    assert!(!event_loop.remove_writer(&other).unwrap());
    event_loop.add_reader(&other, logs(&log, "other")).unwrap();
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["other"]);
    drop(other);
    let (another, _writer) = readable();
    assert_eq!(another.as_raw_fd(), number);
    event_loop.add_writer(&another, logs(&log, "another")).unwrap_err();
    assert!(!event_loop.remove_reader(&another).unwrap());
    event_loop.add_reader(&another, logs(&log, "another")).unwrap();
    tick(&event_loop);
    assert_eq!(*log.borrow(), ["other", "another"]);
    assert!(event_loop.remove_reader(&another).unwrap());
    event_loop.close().unwrap();
}
