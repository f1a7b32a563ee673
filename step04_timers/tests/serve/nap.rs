//! The first program of chapter 04: it serves, it closes silent clients, and it wakes up again and
//! again although there's nothing to do.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::io::Read;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kit::clients::Server;

fn start() -> Server {
    Server::from(kit::example("step04_timers", "nap").arg("127.0.0.1:0"))
}

/// Returns the number of times that the program has gone to sleep: see `proc_pid_status(5)`.
fn sleeps(nap: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", nap.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

#[test]
fn it_wakes_up_again_and_again_though_nobody_is_connected() {
    let nap = start();
    let before = sleeps(&nap);
    // If the program slept until an event, this would never end.
    while sleeps(&nap) < before + 100 {
        std::thread::yield_now();
    }
}

#[test]
fn it_echoes_and_closes_a_client_that_is_silent() {
    let nap = start();
    let mut client = TcpStream::connect(nap.address).unwrap();
    let connected = Instant::now();
    kit::clients::exchange(&mut client, b"hello");
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    assert!(connected.elapsed() >= Duration::from_secs(5));
}
