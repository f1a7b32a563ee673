//! The first program of chapter 03: it answers after five seconds, and a client's answer reaches
//! the next client that gets its number.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The program, which ends with the test.
struct Slow {
    child: Child,
    address: SocketAddr,
}

impl Slow {
    fn start() -> Slow {
        let mut command = kit::example("step03_selector", "slow");
        command.arg("127.0.0.1:0").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().parse().unwrap();
        Slow { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// Waits until this many of its descriptors are sockets: the listener, and the clients.
    fn wait_for_sockets(&self, count: usize) {
        while self.sockets() != count {
            std::thread::yield_now();
        }
    }

    fn sockets(&self) -> usize {
        let listed = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        let targets = listed.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_answers_after_five_seconds() {
    let slow = Slow::start();
    let mut client = slow.connect();
    let begin = Instant::now();
    client.write_all(b"hello").unwrap();
    let mut answer = [0; 5];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"hello");
    assert!(begin.elapsed() >= Duration::from_secs(5));
}

#[test]
fn the_next_client_gets_the_answer_of_one_that_has_left() {
    let slow = Slow::start();
    let mut ann = slow.connect();
    ann.write_all(b"Ann's secret").unwrap();
    slow.wait_for_sockets(2);
    drop(ann);
    slow.wait_for_sockets(1);
    let mut bob = slow.connect();
    let mut answer = [0; 12];
    bob.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"Ann's secret");
}
