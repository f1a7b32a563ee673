//! The first program of chapter 03: it answers after five seconds, and a client's answer reaches
//! the next client that gets its number.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kit::clients::Server;

fn start() -> Server {
    Server::from(kit::example("step03_selector", "slow").arg("127.0.0.1:0"))
}

fn connect(slow: &Server) -> TcpStream {
    TcpStream::connect(slow.address).unwrap()
}

/// Waits until this many of the program's descriptors are sockets: the listener, and the clients.
fn wait_for_sockets(slow: &Server, count: usize) {
    while sockets(slow) != count {
        std::thread::yield_now();
    }
}

fn sockets(slow: &Server) -> usize {
    let listed = std::fs::read_dir(format!("/proc/{}/fd", slow.process.id())).unwrap();
    let targets = listed.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

#[test]
fn it_answers_after_five_seconds() {
    let slow = start();
    let mut client = connect(&slow);
    let begin = Instant::now();
    client.write_all(b"hello").unwrap();
    let mut answer = [0; 5];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"hello");
    assert!(begin.elapsed() >= Duration::from_secs(5));
}

#[test]
fn the_next_client_gets_the_answer_of_one_that_has_left() {
    let slow = start();
    let mut ann = connect(&slow);
    ann.write_all(b"Ann's secret").unwrap();
    wait_for_sockets(&slow, 2);
    drop(ann);
    wait_for_sockets(&slow, 1);
    let mut bob = connect(&slow);
    let mut answer = [0; 12];
    bob.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"Ann's secret");
}
