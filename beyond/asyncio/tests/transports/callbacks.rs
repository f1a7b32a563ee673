//! Calls to a program's own code that a transport makes in the middle of an operation.

use std::cell::RefCell;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{Error, EventLoop, EventLoopExt as _, Protocol, Result, Transport};
use kit::limit_time;
use kit::loopback::wait_for_the_end;
use rustix::net::sockopt::set_socket_linger;

/// More than a socket holds.
const MUCH: usize = 1 << 23;

/// Lets a loop run and reads the bytes that it sends, until the connection's end has been noted.
fn read_until_lost(event_loop: &EventLoop, peer: &RefCell<Option<TcpStream>>, log: &Log) {
    while !log.borrow().iter().any(|line| line.starts_with("connection_lost")) {
        if let Some(peer) = &mut *peer.borrow_mut() {
            let _ = peer.read(&mut vec![0; MUCH]);
        }
        tick(event_loop);
    }
}

/// A connection whose peer can reset it.
struct Resettable {
    log: Log,
    event_loop: EventLoop,
    transport: Transport,
    peer: Rc<RefCell<Option<TcpStream>>>,
}

impl Resettable {
    fn new(recorder: impl FnOnce(Recorder, Reset) -> Recorder) -> Self {
        limit_time();
        let log = Log::default();
        let event_loop = new_loop(&log);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (theirs, _) = listener.accept().unwrap();
        theirs.set_nonblocking(true).unwrap();
        let peer = Rc::new(RefCell::new(Some(theirs)));
        let reset = Reset { ours: ours.try_clone().unwrap().into(), peer: Rc::clone(&peer) };
        let recorder = recorder(Recorder::new(&log), reset);
        let maker = event_loop.clone();
        let make = async move { maker.connect_accepted_socket(|| recorder, ours).await };
        let (transport, _) = event_loop.run_until_complete(make).unwrap();
        taken(&log);
        Resettable { log, event_loop, transport, peer }
    }
}

/// Resets a connection from its peer's side.
struct Reset {
    ours: OwnedFd,
    peer: Rc<RefCell<Option<TcpStream>>>,
}

impl Reset {
    /// Returns when the reset has arrived.
    fn now(&self) {
        let Some(peer) = self.peer.take() else { return };
        set_socket_linger(&peer, Some(std::time::Duration::ZERO)).unwrap();
        drop(peer);
        wait_for_the_end(&self.ours).unwrap();
    }
}

#[test]
fn a_write_in_resume_writing_that_meets_a_reset_ends_the_connection_with_the_reset() {
    for is_closing in [false, true] {
        let it = Resettable::new(|recorder, reset| {
            recorder.on("resume_writing", move |transport| {
                reset.now();
                transport.write(b"too late")
            })
        });
        it.transport.set_write_buffer_limits(Some(0), None).unwrap();
        it.transport.write(&vec![0; MUCH]).unwrap();
        if is_closing {
            it.transport.close();
        }
        read_until_lost(&it.event_loop, &it.peer, &it.log);
        tick(&it.event_loop);
        let lines = taken(&it.log);
        assert_eq!(lines[..2], ["pause_writing", "resume_writing"]);
        assert!(lines[2].contains("Connection reset by peer"), "{lines:?}");
        assert_eq!(lines.len(), 3, "{lines:?}");
        close(&it.event_loop);
    }
}

#[test]
fn a_write_in_eof_received_that_fails_ends_the_connection_with_its_error() {
    let log = Log::default();
    let event_loop = new_loop(&log);
    let theirs = Rc::new(RefCell::new(None::<UnixStream>));
    let peer = Rc::clone(&theirs);
    let recorder = Recorder::new(&log).on("eof_received", move |transport| {
        drop(peer.take());
        transport.write(b"too late")
    });
    let (_transport, other_end) = connected(&event_loop, recorder);
    taken(&log);
    other_end.shutdown(std::net::Shutdown::Write).unwrap();
    theirs.replace(Some(other_end));
    tick(&event_loop);
    tick(&event_loop);
    tick(&event_loop);
    let lines = taken(&log);
    assert_eq!(lines[0], "eof_received");
    assert!(lines[1].contains("Broken pipe"), "{lines:?}");
    close(&event_loop);
}

/// Keeps its transport and writes once more when the connection is lost.
struct LastWord {
    transport: RefCell<Option<Transport>>,
    log: Log,
}

impl Protocol for LastWord {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        self.transport.replace(Some(transport.clone()));
        Ok(())
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        let error = error.map(ToString::to_string);
        self.log.borrow_mut().push(format!("connection_lost {error:?}"));
        let transport = self.transport.take();
        if let Some(transport) = transport {
            // More than there's room for: it must neither be sent nor wait for room.
            transport.write(&vec![b'?'; MUCH])?;
            transport.close();
            transport.abort();
        }
        Ok(())
    }
}

#[test]
fn what_connection_lost_writes_goes_nowhere() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let maker = event_loop.clone();
    let noted = Rc::clone(&log);
    let make = async move {
        let factory = || LastWord { transport: RefCell::default(), log: noted };
        maker.connect_accepted_socket(factory, ours).await
    };
    let (transport, _) = event_loop.run_until_complete(make).unwrap();
    transport.write(&vec![0; MUCH]).unwrap();
    transport.close();
    let mut read = Vec::new();
    while theirs.read_to_end(&mut read).is_err() {
        tick(&event_loop);
    }
    assert_eq!(read.len(), MUCH, "nothing is sent after the last byte");
    tick(&event_loop);
    assert_eq!(taken(&log), ["connection_lost None"], "it's called once");
    // The selector has forgotten the socket: the next socket gets its number, and both directions
    // work.
    let (again, mut peer) = connected(&event_loop, Recorder::new(&log));
    again.write(&vec![0; MUCH]).unwrap();
    again.close();
    read.clear();
    peer.set_nonblocking(true).unwrap();
    while peer.read_to_end(&mut read).is_err() {
        tick(&event_loop);
    }
    assert_eq!(read.len(), MUCH);
    close(&event_loop);
}
