//! The book's statements about its first three servers, in `examples/`.

#[path = "../examples/blocking.rs"]
#[expect(dead_code, unreachable_pub, reason = "an example is a program of its own")]
mod blocking;
#[path = "../examples/busy.rs"]
#[expect(dead_code, unreachable_pub, reason = "an example is a program of its own")]
mod busy;
#[path = "../examples/threads.rs"]
#[expect(dead_code, unreachable_pub, reason = "an example is a program of its own")]
mod threads;

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use kit::proc::Stat;
use kit::{Sleeper, limit_time, loopback};

type Serve = fn(&TcpListener) -> io::Result<()>;

/// Starts a server in a thread, which returns the reason for the server's end.
fn start(serve: Serve) -> anyhow::Result<(Sleeper, SocketAddr)> {
    limit_time();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = Sleeper::start(move || match serve(&listener) {
        Ok(()) => "it has ended".to_string(),
        Err(error) => error.kind().to_string(),
    })?;
    Ok((server, address))
}

fn echoed(client: &mut TcpStream) -> io::Result<String> {
    client.write_all(b"hello")?;
    received(client)
}

fn received(client: &mut TcpStream) -> io::Result<String> {
    let mut buffer = [0; 5];
    client.read_exact(&mut buffer)?;
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}

/// Returns the other end of the connection on which the server sleeps in a read.
fn peer_it_sleeps_for(server: &Sleeper) -> Option<SocketAddr> {
    let fd = RawFd::try_from(*server.arguments()?.first()?).ok()?;
    TcpStream::from(loopback::duplicate(fd).ok()?).peer_addr().ok()
}

/// Closes a connection with an unread answer in it, which resets the connection.
fn reset(mut client: TcpStream) -> io::Result<()> {
    client.write_all(b"hello")?;
    client.peek(&mut [0]).map(drop)
}

#[test]
fn the_blocking_server_keeps_the_second_client_waiting() {
    let (server, address) = start(blocking::serve).unwrap();
    let mut first = TcpStream::connect(address).unwrap();
    assert_eq!(echoed(&mut first).unwrap(), "hello");

    let mut second = TcpStream::connect(address).unwrap();
    second.write_all(b"hello").unwrap();
    server.wait_until_asleep().unwrap();
    assert_eq!(peer_it_sleeps_for(&server), first.local_addr().ok());
    assert!(!loopback::is_readable(&second).unwrap(), "the second client has its answer");

    drop(first);
    assert_eq!(received(&mut second).unwrap(), "hello");
}

#[test]
fn a_reset_ends_the_blocking_server() {
    let (server, address) = start(blocking::serve).unwrap();
    reset(TcpStream::connect(address).unwrap()).unwrap();
    assert_eq!(server.join().unwrap(), "connection reset");
}

#[test]
fn a_silent_client_keeps_no_one_waiting_in_the_other_servers() {
    for serve in [threads::serve as Serve, busy::serve] {
        let (_server, address) = start(serve).unwrap();
        let mut first = TcpStream::connect(address).unwrap();
        assert_eq!(echoed(&mut first).unwrap(), "hello");
        let mut second = TcpStream::connect(address).unwrap();
        assert_eq!(echoed(&mut second).unwrap(), "hello");
        assert_eq!(echoed(&mut first).unwrap(), "hello");
    }
}

#[test]
fn the_other_servers_survive_a_reset() {
    for serve in [threads::serve as Serve, busy::serve] {
        let (_server, address) = start(serve).unwrap();
        reset(TcpStream::connect(address).unwrap()).unwrap();
        assert_eq!(echoed(&mut TcpStream::connect(address).unwrap()).unwrap(), "hello");
    }
}

#[test]
fn the_busy_server_never_sleeps() {
    limit_time();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        sender.send(fs::read_link("/proc/thread-self").unwrap()).unwrap();
        busy::serve(&listener)
    });
    let thread = Path::new("/proc").join(receiver.recv().unwrap());
    assert_eq!(echoed(&mut client).unwrap(), "hello");

    let stat = || Stat::of(&thread).unwrap();
    let enough = stat().cpu_time + Duration::from_millis(100);
    while stat().cpu_time < enough {
        assert!(!stat().is_asleep(), "a client that says nothing lets the server sleep");
        thread::yield_now();
    }
}

#[test]
fn the_busy_server_hangs_up_on_a_client_that_does_not_read() {
    let (_server, address) = start(busy::serve).unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    let bytes = vec![b'x'; 1 << 16];
    // This ends only because the server closes the connection.
    while client.write_all(&bytes).is_ok() {}
}
