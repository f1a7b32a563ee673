//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::{Duration, Instant};

use kit::clients::{self, Server};
use rustix::process::Signal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_step07_full_loop");

kit::echo_server_tests!(PROGRAM);

#[test]
fn ctrl_c_and_sigterm_end_it_with_exit_code_0_and_its_clients_with_it() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Server::start(PROGRAM);
        let mut client = TcpStream::connect(server.address).unwrap();
        clients::exchange(&mut client, b"hello");
        server.signal(signal);
        assert!(server.process.wait().unwrap().success(), "after {signal:?}");
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "the client reads the end");
        assert!(TcpStream::connect(server.address).is_err(), "nobody is listening any more");
    }
}

/// Connects a client that sends until the server, which can't answer, reads no more.
fn never_reads(server: &Server) -> TcpStream {
    // Each exchange takes the server at least one tick, in which it would read 64 KiB from the
    // greedy client. No socket has buffers for so many bytes.
    const ENOUGH: u32 = 500;
    let mut greedy = TcpStream::connect(server.address).unwrap();
    greedy.set_nonblocking(true).unwrap();
    let mut other = TcpStream::connect(server.address).unwrap();
    let (message, mut in_vain) = (clients::pattern(1 << 16), 0);
    while in_vain < ENOUGH {
        in_vain = if greedy.write(&message).is_ok() { 0 } else { in_vain + 1 };
        clients::exchange(&mut other, b"ping");
    }
    greedy
}

#[test]
fn a_client_that_never_reads_delays_the_end_for_five_seconds() {
    let mut server = Server::start(PROGRAM);
    let _greedy = never_reads(&server);
    let began = Instant::now();
    server.signal(Signal::TERM);
    assert!(server.process.wait().unwrap().success());
    assert!(began.elapsed() >= Duration::from_secs(5), "{:?}", began.elapsed());
}

/// Asks the kernel whether the server still has a handler for the signal: the server removes the
/// handler once it has seen the first signal.
fn handles(server: &Server, signal: Signal) -> bool {
    let status = format!("/proc/{}/status", server.process.id());
    let status = fs::read_to_string(status).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    caught & 1 << (signal.as_raw() - 1) != 0
}

#[test]
fn a_second_signal_ends_it_at_once() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Server::start(PROGRAM);
        let _greedy = never_reads(&server);
        server.signal(signal);
        while handles(&server, signal) {
            thread::yield_now();
        }
        server.signal(signal);
        assert_eq!(server.process.wait().unwrap().signal(), Some(signal.as_raw()));
    }
}
