//! The first program of chapter 04: it serves, it closes silent clients, and it wakes up again and
//! again although there's nothing to do.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The program, which ends with the test.
struct Nap {
    child: Child,
    address: SocketAddr,
}

impl Nap {
    fn start() -> Nap {
        let mut command = kit::example("step04_timers", "nap");
        command.arg("127.0.0.1:0").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().parse().unwrap();
        Nap { child, address }
    }

    /// Returns the number of times that it has gone to sleep: see `proc_pid_status(5)`.
    fn sleeps(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    }
}

impl Drop for Nap {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_wakes_up_again_and_again_though_nobody_is_connected() {
    let nap = Nap::start();
    let before = nap.sleeps();
    // If the program slept until an event, this would never end.
    while nap.sleeps() < before + 100 {
        std::thread::yield_now();
    }
}

#[test]
fn it_echoes_and_closes_a_client_that_is_silent() {
    let nap = Nap::start();
    let mut client = TcpStream::connect(nap.address).unwrap();
    let connected = Instant::now();
    kit::clients::exchange(&mut client, b"hello");
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    assert!(connected.elapsed() >= Duration::from_secs(5));
}
