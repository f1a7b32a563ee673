//! Water marks by default, and writes in vain; after CPython's `test_selector_events.py` and
//! `test_transports.py`. What's sent, and when a protocol is paused, is compared with asyncio's in
//! the random programs of `differential`.

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use kit::limit_time;

/// More than a socket holds.
const MUCH: usize = 1 << 20;

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
