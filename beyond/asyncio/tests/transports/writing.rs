//! The writes of a connection, and the pauses of its protocol; after CPython's
//! `test_selector_events.py` and `test_transports.py`.

use std::io::Read as _;
use std::os::unix::net::UnixStream;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{Error, EventLoop};
use kit::limit_time;

/// More than a socket holds.
const MUCH: usize = 1 << 20;

/// Reads all bytes that are there now and returns their number.
fn drain(mut theirs: &UnixStream) -> usize {
    let mut all = Vec::new();
    match theirs.read_to_end(&mut all) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
    }
    all.len()
}

/// Lets a loop run and reads the bytes that it sends, until this line has been noted.
fn drain_until(event_loop: &EventLoop, theirs: &UnixStream, log: &Log, line: &str) -> usize {
    let mut count = drain(theirs);
    while !log.borrow().iter().any(|noted| noted == line) {
        tick(event_loop);
        count += drain(theirs);
    }
    count
}

#[test]
fn write_and_write_no_data() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, theirs) = connected(&event_loop, Recorder::new(&log));
    transport.write(b"").unwrap();
    transport.write(b"data").unwrap();
    assert_eq!(drain(&theirs), 4, "it's sent at once, without a tick");
    assert_eq!(transport.get_write_buffer_size(), 0);
    transport.writelines(&[b"one", b"", b"two"]).unwrap();
    transport.writelines(&[b"three"]).unwrap();
    transport.writelines(&[]).unwrap();
    assert_eq!(drain(&theirs), 11);
    close(&event_loop);
}

#[test]
fn what_waits_for_the_last_byte_follows_in_the_same_tick() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, theirs) = connected(&event_loop, Recorder::new(&log));
    let send_all = || {
        transport.write(&vec![0; MUCH]).unwrap();
        taken(&log);
        while transport.get_write_buffer_size() > 0 {
            drain(&theirs);
            tick(&event_loop);
        }
        taken(&log)
    };
    transport.set_write_buffer_limits(Some(1), Some(0)).unwrap();
    assert_eq!(send_all(), ["resume_writing"]);
    transport.write(&vec![0; MUCH]).unwrap();
    transport.close();
    assert_eq!(send_all(), ["resume_writing", "connection_lost"]);
    close(&event_loop);
}

#[test]
fn flowcontrol_mixin_set_write_limits() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, _theirs) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    let limits_after = |high, low| {
        transport.set_write_buffer_limits(high, low).unwrap();
        transport.get_write_buffer_limits()
    };
    assert_eq!(transport.get_write_buffer_limits(), (16 * 1024, 64 * 1024));
    assert_eq!(limits_after(Some(1024), Some(128)), (128, 1024));
    assert_eq!(limits_after(Some(1024), None), (256, 1024));
    assert_eq!(limits_after(None, Some(100)), (100, 400));
    assert_eq!(limits_after(Some(0), None), (0, 0));
    assert_eq!(limits_after(None, None), (16 * 1024, 64 * 1024));
    let refused = transport.set_write_buffer_limits(Some(1), Some(2)).unwrap_err();
    assert_eq!(refused.to_string(), "high (1) must be >= low (2) must be >= 0");
    assert_eq!(transport.get_write_buffer_limits(), (16 * 1024, 64 * 1024));

    // Limits below the number of unsent bytes take effect at once.
    transport.set_write_buffer_limits(Some(2 * MUCH), None).unwrap();
    transport.write(&vec![0; MUCH]).unwrap();
    assert!(taken(&log).is_empty());
    transport.set_write_buffer_limits(Some(1), None).unwrap();
    assert_eq!(taken(&log), ["pause_writing"]);
    close(&event_loop);
}

#[test]
fn a_pause_writing_that_fails_is_reported_and_the_connection_goes_on() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let fails = Recorder::new(&log)
        .on("pause_writing", |_| Err(Error::other("never")))
        .on("resume_writing", |_| Err(Error::other("too tired")));
    let (transport, theirs) = connected(&event_loop, fails);
    taken(&log);
    transport.write(&vec![0; MUCH]).unwrap();
    let failed = "report protocol.pause_writing() failed: never";
    assert_eq!(taken(&log), ["pause_writing", failed]);
    drain_until(&event_loop, &theirs, &log, "resume_writing");
    let failed = "report protocol.resume_writing() failed: too tired";
    assert_eq!(taken(&log), ["resume_writing", failed]);
    assert!(!transport.is_closing());
    close(&event_loop);
}

#[test]
fn write_exception() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, theirs) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    drop(theirs);
    transport.write(b"data").unwrap();
    assert!(transport.is_closing());
    for _ in 0..4 {
        transport.write(b"data").unwrap();
    }
    assert!(taken(&log).is_empty());
    transport.write(b"data").unwrap();
    assert_eq!(taken(&log), ["report socket.send() raised exception."], "the fifth in vain");
    tick(&event_loop);
    let lines = taken(&log);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("connection_lost send fd "), "{lines:?}");
    assert!(lines[0].ends_with(": Broken pipe (os error 32)"), "{lines:?}");
    close(&event_loop);
}

#[test]
fn write_ready_exception() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, theirs) = connected(&event_loop, Recorder::new(&log));
    transport.write(&vec![0; MUCH]).unwrap();
    transport.pause_reading();
    taken(&log);
    drop(theirs);
    tick(&event_loop);
    assert_eq!(transport.get_write_buffer_size(), 0, "what can't be sent is dropped");
    tick(&event_loop);
    let lines = taken(&log);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("connection_lost write fd "), "{lines:?}");
    close(&event_loop);
}
