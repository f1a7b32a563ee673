//! System calls of a transport that fail once: at most that connection ends, with an error that
//! names the call, and no bytes are lost without an error.

use std::io::{Read as _, Write as _};
use std::rc::Rc;
use std::time::Duration;

use crate::support::{Log, Recorder, close, connected, create_server, new_loop, tick};
use asyncio::{
    EventLoop, EventLoopExt as _, Protocol, Result, Transport, VirtualClock, get_running_loop,
    sleep, yield_now,
};
use kit::{Observer, Refusal, limit_time};

/// More than a socket holds.
const MUCH: usize = 1 << 20;

fn refusal(call: libc::c_long, errno: i32) -> Refusal {
    Refusal { call, argument: None, errno }
}

fn epoll_ctl(operation: i32, errno: i32) -> Refusal {
    let argument = Some((1, operation.cast_unsigned()));
    Refusal { argument, ..refusal(libc::SYS_epoll_ctl, errno) }
}

/// Lets two connections receive while the kernel refuses one call. Returns the calls of the first
/// protocol and of the second.
fn receive(refusals: &[Refusal], spared: usize) -> (Vec<String>, Vec<String>) {
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
    let (outcome, _) = observer.refusing(refusals, spared, receive);
    outcome
}

const BOTH: [&str; 3] = ["connection_made", "data_received \"one\"", "data_received \"two\""];

#[test]
fn a_read_that_would_block_or_is_interrupted_loses_nothing() {
    limit_time();
    for errno in [libc::EAGAIN, libc::EINTR] {
        let (first, second) = receive(&Refusal::of_reads(errno), 0);
        assert_eq!(first, BOTH, "{errno}");
        assert_eq!(second, BOTH, "{errno}");
    }
}

#[test]
fn a_read_that_fails_ends_its_connection_and_no_other() {
    limit_time();
    for errno in [libc::ECONNRESET, libc::EIO, libc::ENOBUFS, libc::ETIMEDOUT, libc::ENOMEM] {
        let (first, second) = receive(&Refusal::of_reads(errno), 0);
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first[1].starts_with("connection_lost recv fd "), "{first:?}");
        assert!(first[1].contains(&format!("(os error {errno})")), "{first:?}");
        assert_eq!(second, BOTH, "{errno}");
    }
}

#[test]
fn a_connection_that_cannot_be_registered_ends_with_that_error() {
    limit_time();
    for errno in [libc::ENOSPC, libc::ENOMEM] {
        // The loop's own descriptor is spared.
        let (first, second) = receive(&[epoll_ctl(libc::EPOLL_CTL_ADD, errno)], 1);
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first[1].starts_with("connection_lost epoll_ctl ADD fd "), "{first:?}");
        assert_eq!(second, BOTH, "{errno}");
    }
}

/// Sends while the kernel refuses one call. Returns the protocol's calls and the bytes received.
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

#[test]
fn a_write_that_fails_ends_its_connection() {
    limit_time();
    for errno in [libc::EPIPE, libc::ECONNRESET, libc::ENOBUFS, libc::EIO] {
        let (told, arrived) = send(&Refusal::of_writes(errno));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].starts_with("connection_lost send fd "), "{told:?}");
        assert_eq!(arrived, 0);
    }
}

#[test]
fn a_writer_that_cannot_be_registered_ends_its_connection() {
    limit_time();
    let (told, arrived) = send(&[epoll_ctl(libc::EPOLL_CTL_MOD, libc::ENOMEM)]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("connection_lost epoll_ctl MOD fd "), "{told:?}");
    assert!(arrived < MUCH);
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

/// Runs a server while the kernel refuses one call. Two clients connect, one after the other.
/// Returns the bytes that each reads, and the reports.
fn serve_two(refusal: Refusal, spared: usize) -> (Vec<String>, Vec<String>) {
    let observer = Observer::new().unwrap();
    let serve = || {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
        let log = Log::default();
        let kept = Rc::clone(&log);
        event_loop.set_exception_handler(move |report| kept.borrow_mut().push(report.to_string()));
        let read = event_loop.run_until_complete(two_clients()).unwrap();
        close(&event_loop);
        (read, log.take())
    };
    observer.refusing(&[refusal], spared, serve).0
}

async fn two_clients() -> Result<Vec<String>> {
    let server = get_running_loop()?.create_server(|| Greeter, "127.0.0.1:0").await?;
    let address = server.local_addrs()?[0];
    let mut read = Vec::new();
    for _ in 0..2 {
        let mut client = std::net::TcpStream::connect(address)?;
        // The clock is virtual: the first sleep is over in the tick that accepts, and the second is
        // longer than the pause in accepting.
        sleep(Duration::from_millis(1)).await?;
        sleep(Duration::from_secs(2)).await?;
        // A connection takes four ticks from the accept to its first bytes.
        for _ in 0..6 {
            yield_now().await?;
        }
        client.set_nonblocking(true)?;
        let mut text = String::new();
        // This ends with an error if the server hasn't hung up.
        let _ = client.read_to_string(&mut text);
        read.push(text);
    }
    Ok(read)
}

#[test]
fn accepting_goes_on_after_an_error_of_one_connection() {
    limit_time();
    for errno in [libc::EPERM, libc::EPROTO, libc::EHOSTDOWN, libc::ENETUNREACH] {
        let (read, reports) = serve_two(refusal(libc::SYS_accept4, errno), 0);
        assert_eq!(read, ["hello", "hello"], "{errno}: {reports:?}");
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].starts_with("socket.accept() failed: "), "{reports:?}");
    }
    for errno in [libc::ECONNABORTED, libc::EINTR, libc::EAGAIN] {
        let (read, reports) = serve_two(refusal(libc::SYS_accept4, errno), 0);
        assert_eq!(read, ["hello", "hello"], "{errno}");
        assert!(reports.is_empty(), "{reports:?}");
    }
}

#[test]
fn accepting_pauses_when_the_system_has_no_room() {
    limit_time();
    for errno in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM] {
        let (read, reports) = serve_two(refusal(libc::SYS_accept4, errno), 0);
        assert_eq!(read, ["hello", "hello"], "{errno}: {reports:?}");
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].starts_with("socket.accept() out of system resource: "), "{reports:?}");
    }
}

#[test]
fn the_pause_in_accepting_lasts_a_second() {
    limit_time();
    let observer = Observer::new().unwrap();
    let serve = || {
        let log = Log::default();
        let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
        event_loop.set_exception_handler(|_| {});
        let told = Rc::clone(&log);
        let factory = move || Recorder::new(&told);
        let (_server, address) = create_server(&event_loop, factory);
        let _client = std::net::TcpStream::connect(address).unwrap();
        for _ in 0..10 {
            tick(&event_loop);
        }
        let meanwhile = log.take();
        event_loop.run_until_complete(sleep(Duration::from_secs(1))).unwrap();
        for _ in 0..5 {
            tick(&event_loop);
        }
        close(&event_loop);
        (meanwhile, log.take())
    };
    let (told, _) = observer.refusing(&[refusal(libc::SYS_accept4, libc::EMFILE)], 0, serve);
    assert_eq!(told, (vec![], vec!["connection_made".to_owned()]));
}

#[test]
fn a_broken_listener_is_reported_once_and_accepts_no_more() {
    limit_time();
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
        observer.refusing(&[refusal(libc::SYS_accept4, libc::EINVAL)], 0, serve).0
    };
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].starts_with("report socket.accept() failed for good: accept fd "));
}

#[test]
fn an_accepted_socket_that_cannot_be_prepared_is_lost_and_no_other() {
    limit_time();
    let refused = Refusal {
        argument: Some((2, libc::TCP_NODELAY.cast_unsigned())),
        ..refusal(libc::SYS_setsockopt, libc::ENOMEM)
    };
    // The number is also that of SO_DEBUG, which nothing here sets.
    let (read, reports) = serve_two(refused, 0);
    assert_eq!(read, ["", "hello"], "{reports:?}");
    assert_eq!(reports.len(), 1, "{reports:?}");
    let report = "Error on transport creation for incoming connection: setsockopt TCP_NODELAY fd ";
    assert!(reports[0].starts_with(report), "{reports:?}");
}
