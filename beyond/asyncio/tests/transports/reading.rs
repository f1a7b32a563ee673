//! How a connection ends by default or by a panic. The scene `the_order_of_a_protocols_calls` shows
//! how it begins, and the random programs of `differential` compare with asyncio which calls a
//! protocol gets, and in which tick.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{EventLoop, EventLoopExt as _, Protocol, Transport};
use kit::limit_time;

/// A protocol that has only the default methods.
struct Silent;

impl Protocol for Silent {}

#[test]
fn the_default_methods_close_at_the_end() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let maker = event_loop.clone();
    let make = async move { maker.connect_accepted_socket(|| Silent, ours).await };
    let (transport, protocol): (Transport, Rc<Silent>) =
        event_loop.run_until_complete(make).unwrap();
    theirs.write_all(b"hello").unwrap();
    tick(&event_loop);
    assert!(!transport.is_closing());
    drop(theirs);
    tick(&event_loop);
    assert!(transport.is_closing());
    tick(&event_loop);
    assert_eq!(Rc::strong_count(&protocol), 1, "a lost connection lets go of its protocol");
    event_loop.close().unwrap();
}

/// A panic's payload, which panics when it's dropped.
struct PanicsAgain(bool);

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new(PanicsAgain(false)));
        }
    }
}

#[test]
fn a_panic_whose_payload_panics_again_ends_only_the_connection() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let recorder =
        Recorder::new(&log).on("data_received", |_| resume_unwind(Box::new(PanicsAgain(true))));
    let (transport, mut theirs) = connected(&event_loop, recorder);
    taken(&log);
    theirs.write_all(b"hello").unwrap();
    tick(&event_loop);
    tick(&event_loop);
    let report = "report Fatal error: protocol.data_received() call failed.: panicked";
    let log = taken(&log);
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(log[0], "data_received \"hello\"");
    assert!(log[1].starts_with(report), "{log:?}");
    assert!(log[2].starts_with("connection_lost panicked"), "{log:?}");
    assert!(transport.is_closing());
    close(&event_loop);
}
