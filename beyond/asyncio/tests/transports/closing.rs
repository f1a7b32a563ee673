//! The end of a connection; after CPython's `test_selector_events.py`.

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::rc::Rc;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{EventLoop, EventLoopExt as _, Protocol, Result, Transport};
use kit::limit_time;

/// More than a socket holds.
const MUCH: usize = 1 << 20;

#[test]
fn close_twice_and_use_it_afterwards() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
    taken(&log);
    theirs.write_all(b"unread").unwrap();
    transport.close();
    transport.close();
    assert!(transport.is_closing() && !transport.is_reading());
    assert!(taken(&log).is_empty(), "connection_lost has a callback of its own");
    transport.write(b"in vain").unwrap();
    transport.write_eof().unwrap();
    transport.abort();
    tick(&event_loop);
    assert_eq!(taken(&log), ["connection_lost"]);
    transport.write(b"in vain").unwrap();
    transport.writelines(&[b"in", b"vain"]).unwrap();
    transport.write_eof().unwrap();
    transport.pause_reading();
    transport.resume_reading();
    transport.close();
    transport.abort();
    tick(&event_loop);
    assert!(taken(&log).is_empty());
    assert_eq!(transport.get_write_buffer_size(), 0);
    assert_eq!((transport.peer_addr(), transport.local_addr()), (None, None));
    close(&event_loop);
}

#[test]
fn closed_by_resume_writing_while_closing_it_ends_once() {
    limit_time();
    for abort in [false, true] {
        let log = Log::default();
        let event_loop = new_loop(&log);
        let recorder = Recorder::new(&log).on("resume_writing", move |transport| {
            if abort {
                transport.abort();
            } else {
                transport.close();
            }
            Ok(())
        });
        let (transport, mut theirs) = connected(&event_loop, recorder);
        transport.set_write_buffer_limits(Some(0), None).unwrap();
        transport.write(&vec![0; MUCH]).unwrap();
        taken(&log);
        let mut read = Vec::new();
        while theirs.read_to_end(&mut read).is_err() {
            tick(&event_loop);
        }
        assert_eq!(taken(&log), ["resume_writing", "connection_lost"]);
        tick(&event_loop);
        assert!(taken(&log).is_empty(), "CPython fails here: it calls connection_lost on nothing");
        close(&event_loop);
    }
}

/// A protocol that holds its transport and uses it once more when the protocol is dropped.
struct Holder {
    transport: RefCell<Option<Transport>>,
    dropped: Log,
}

impl Protocol for Holder {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        self.transport.replace(Some(transport.clone()));
        Ok(())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        if let Some(transport) = self.transport.take() {
            let used = transport.write(b"from the grave");
            transport.close();
            transport.abort();
            self.dropped.borrow_mut().push(format!("{}, {used:?}", transport.is_closing()));
        }
    }
}

#[test]
fn a_loop_that_is_closed_closes_its_connections() {
    limit_time();
    for paused in [false, true] {
        let log = Log::default();
        let event_loop = EventLoop::new().unwrap();
        let (ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let (maker, dropped) = (event_loop.clone(), Rc::clone(&log));
        let make = async move {
            let factory = || Holder { dropped, transport: RefCell::default() };
            maker.connect_accepted_socket(factory, ours).await
        };
        let (transport, protocol) = event_loop.run_until_complete(make).unwrap();
        drop(protocol);
        let kept = (!paused).then(|| transport.clone());
        // Only the transport's own protocol refers to it then.
        if paused {
            transport.pause_reading();
        }
        drop(transport);
        event_loop.close().unwrap();
        assert_eq!(taken(&log), ["true, Ok(())"]);
        assert_eq!(theirs.read(&mut [0]).unwrap(), 0, "the socket is closed");
        drop(kept);
    }
}

#[test]
fn a_paused_connection_that_nothing_holds_is_closed() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
    tick(&event_loop);
    transport.pause_reading();
    drop(transport);
    tick(&event_loop);
    assert_eq!(theirs.read(&mut [0]).unwrap(), 0);
    assert_eq!(taken(&log), ["connection_made"], "as in asyncio, nothing is called");
    close(&event_loop);
}
