//! System calls of a transport that would block, are interrupted, or fail for good. All other
//! errors are in the table of `robustness`.

use std::io::{Read as _, Write as _};

use crate::support::{Log, Recorder, close, connected, create_server, new_loop, tick};
use asyncio::{Protocol, Result, Transport};
use kit::{Observer, Refusal, limit_time};

/// More than a socket holds.
const MUCH: usize = 1 << 20;

/// Lets two connections receive while the kernel refuses the first one's call. Returns what their
/// protocols were told.
fn receive(refusals: &[Refusal]) -> (Vec<String>, Vec<String>) {
    let observer = Observer::new().unwrap();
    let receive = || {
        let (log, others) = (Log::default(), Log::default());
        let event_loop = new_loop(&log);
        let (first, mut theirs) = connected(&event_loop, Recorder::new(&log));
        let (_second, mut seconds) = connected(&event_loop, Recorder::new(&others));
        for message in [b"one", b"two"] {
            let _ = theirs.write_all(message);
            tick(&event_loop);
            tick(&event_loop);
            seconds.write_all(message).unwrap();
            tick(&event_loop);
        }
        assert_eq!(first.is_closing(), log.borrow().last().unwrap().starts_with("connection_lost"));
        close(&event_loop);
        (log.take(), others.take())
    };
    let (outcome, _) = observer.refusing(refusals, 0, receive);
    outcome
}

const BOTH: [&str; 3] = ["connection_made", "data_received \"one\"", "data_received \"two\""];

#[test]
fn a_read_that_would_block_or_is_interrupted_loses_nothing() {
    limit_time();
    for errno in [libc::EAGAIN, libc::EINTR] {
        let (first, second) = receive(&Refusal::of_reads(errno));
        assert_eq!(first, BOTH, "{errno}");
        assert_eq!(second, BOTH, "{errno}");
    }
}

/// Sends while the kernel refuses one call. Returns what the protocol was told, and what arrived.
fn send(refusals: &[Refusal]) -> (Vec<String>, usize) {
    let observer = Observer::new().unwrap();
    let send = || {
        let log = Log::default();
        let event_loop = new_loop(&log);
        let (transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
        transport.write(&vec![0; MUCH]).unwrap();
        transport.write_eof().unwrap();
        let mut read = Vec::new();
        while theirs.read_to_end(&mut read).is_err() {
            tick(&event_loop);
        }
        tick(&event_loop);
        close(&event_loop);
        (log.take(), read.len())
    };
    observer.refusing(refusals, 0, send).0
}

#[test]
fn a_write_that_would_block_or_is_interrupted_loses_nothing() {
    limit_time();
    for errno in [libc::EAGAIN, libc::EINTR] {
        let (told, arrived) = send(&Refusal::of_writes(errno));
        assert_eq!(told, ["connection_made", "pause_writing", "resume_writing"], "{errno}");
        assert_eq!(arrived, MUCH, "{errno}");
    }
}

/// Greets each client that connects.
struct Greeter;

impl Protocol for Greeter {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        transport.write(b"hello")?;
        transport.close();
        Ok(())
    }
}

#[test]
fn a_broken_listener_is_reported_once_and_accepts_no_more() {
    limit_time();
    let refusal = Refusal { call: libc::SYS_accept4, argument: None, errno: libc::EINVAL };
    let reports = {
        let observer = Observer::new().unwrap();
        let serve = || {
            let log = Log::default();
            let event_loop = new_loop(&log);
            let (_server, address) = create_server(&event_loop, || Greeter);
            let _client = std::net::TcpStream::connect(address).unwrap();
            for _ in 0..3 {
                tick(&event_loop);
            }
            close(&event_loop);
            log.take()
        };
        observer.refusing(&[refusal], 0, serve).0
    };
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].starts_with("report socket.accept() failed for good: accept fd "));
}
