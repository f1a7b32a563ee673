//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use step04_timers::EchoServer;

/// A server in a thread of its own, for as long as the test runs.
fn start() -> SocketAddr {
    let mut server = EchoServer::bind(0).unwrap();
    let address = server.local_addr().unwrap();
    thread::spawn(move || server.run());
    address
}

#[test]
fn several_clients_are_answered_at_once() {
    clients::several_at_once(start());
}

#[test]
fn a_message_larger_than_all_buffers_comes_back_whole_after_a_half_close() {
    clients::large_and_half_closed(start());
}

#[test]
fn a_client_that_resets_ends_nobody_else() {
    let server = start();
    clients::reset(server);
    clients::ping(server);
}

#[test]
fn clients_for_whom_there_is_no_descriptor_wait_until_there_is() {
    clients::more_than_descriptors(env!("CARGO_BIN_EXE_step04_timers"));
}

#[test]
fn a_client_that_never_reads_holds_up_nobody_else() {
    let server = start();
    let _greedy = clients::never_reads(server);
    clients::ping(server);
}

#[test]
fn a_client_that_is_silent_for_too_long_is_sent_away_and_not_before() {
    let limit = Duration::from_millis(100);
    let mut server = EchoServer::bind(0).unwrap().with_idle_limit(limit);
    let address = server.local_addr().unwrap();
    thread::spawn(move || server.run());
    let started = Instant::now();
    let mut client = TcpStream::connect(address).unwrap();
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
    assert!(started.elapsed() >= limit);
}
