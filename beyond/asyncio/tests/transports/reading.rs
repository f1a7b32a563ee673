//! How a connection begins and reads; after CPython's `test_selector_events.py`. What a protocol is
//! told, and in which tick, is compared with asyncio's in the random programs of `differential`.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{Error, EventLoop, EventLoopExt as _, Protocol, Transport};
use kit::limit_time;

#[test]
fn connection_made_has_a_tick_of_its_own_and_reading_begins_after_it() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"early").unwrap();
    let (maker, recorder) = (event_loop.clone(), Recorder::new(&log));
    let task = event_loop
        .create_task(async move { maker.connect_accepted_socket(|| recorder, ours).await });
    tick(&event_loop);
    assert!(taken(&log).is_empty(), "it's made, and nothing is called");
    tick(&event_loop);
    assert_eq!(taken(&log), ["connection_made"]);
    assert!(!task.done(), "who waits is told when it was called");
    tick(&event_loop);
    assert_eq!(taken(&log), ["data_received \"early\""]);
    assert!(task.done());
    close(&event_loop);
}

#[test]
fn pause_resume_reading() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    assert!(transport.is_reading());
    transport.pause_reading();
    transport.pause_reading();
    assert!(!transport.is_reading());
    theirs.write_all(b"hello").unwrap();
    tick(&event_loop);
    assert!(taken(&log).is_empty());
    transport.resume_reading();
    transport.resume_reading();
    assert!(transport.is_reading());
    tick(&event_loop);
    assert_eq!(taken(&log), ["data_received \"hello\""]);
    transport.close();
    transport.resume_reading();
    assert!(!transport.is_reading());
    close(&event_loop);
}

#[test]
fn a_reader_that_is_ready_is_not_called_once_reading_is_paused() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    theirs.write_all(b"hello").unwrap();
    // This is in the ready queue before the reader, which the next tick adds.
    let pauser = transport.clone();
    event_loop.call_soon(move || pauser.pause_reading());
    tick(&event_loop);
    assert!(taken(&log).is_empty());
    close(&event_loop);
}

/// What's reported about a failure, and how the connection ends.
fn outcome_of(recorder: impl Fn(&Log) -> Recorder, act: impl Fn(&mut UnixStream)) -> Vec<String> {
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (first, mut theirs) = connected(&event_loop, recorder(&log));
    let (other, mut others) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    act(&mut theirs);
    tick(&event_loop);
    assert!(first.is_closing());
    tick(&event_loop);
    let lines = taken(&log);
    // The other connection lives.
    others.write_all(b"well?").unwrap();
    tick(&event_loop);
    assert_eq!(taken(&log), ["data_received \"well?\""]);
    assert!(!other.is_closing());
    close(&event_loop);
    lines
}

#[test]
fn data_received_error() {
    limit_time();
    let hello = |theirs: &mut UnixStream| theirs.write_all(b"hello").unwrap();
    let fails =
        |log: &Log| Recorder::new(log).on("data_received", |_| Err(Error::other("no such verb")));
    let called = "data_received \"hello\"";
    let report = "report Fatal error: protocol.data_received() call failed.: no such verb";
    assert_eq!(outcome_of(fails, hello), [called, report, "connection_lost no such verb"]);

    let panics =
        |log: &Log| Recorder::new(log).on("data_received", |_| resume_unwind(Box::new("oh no")));
    let report = "report Fatal error: protocol.data_received() call failed.: panicked: oh no";
    assert_eq!(outcome_of(panics, hello), [called, report, "connection_lost panicked: oh no"]);
}

#[test]
fn read_ready_conn_reset() {
    limit_time();
    // A socket that's closed with unread bytes resets the connection.
    let answered = |log: &Log| Recorder::new(log).on("connection_made", |it| it.write(b"unread"));
    let lines = outcome_of(answered, |theirs| {
        let closed = std::mem::replace(theirs, UnixStream::pair().unwrap().0);
        drop(closed);
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("connection_lost recv fd "), "{lines:?}");
    assert!(lines[0].ends_with(": Connection reset by peer (os error 104)"), "{lines:?}");
}

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
