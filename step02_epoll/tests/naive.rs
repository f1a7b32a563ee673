//! The first program of chapter 02: it serves two clients, spins once one client has left, and ends
//! because of a client that doesn't read.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Stdio};

/// The program, which ends with the test.
struct Naive {
    child: Child,
    address: SocketAddr,
}

impl Naive {
    fn start() -> Naive {
        let mut command = kit::example("step02_epoll", "naive");
        command.arg("127.0.0.1:0").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().parse().unwrap();
        Naive { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// Returns the CPU time that the program has used, in clock ticks: see `proc_pid_stat(5)`.
    fn cpu_time(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

impl Drop for Naive {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn echoes(client: &mut TcpStream, words: &[u8]) -> bool {
    client.write_all(words).unwrap();
    let mut answer = vec![0; words.len()];
    client.read_exact(&mut answer).unwrap();
    answer == words
}

#[test]
fn two_clients_are_served_in_turn() {
    let naive = Naive::start();
    let (mut anna, mut ben) = (naive.connect(), naive.connect());
    assert!(echoes(&mut ben, b"hello"));
    assert!(echoes(&mut anna, b"good morning"));
    assert!(echoes(&mut ben, b"still here"));
}

#[test]
fn it_spins_once_a_client_has_left() {
    let naive = Naive::start();
    let mut anna = naive.connect();
    assert!(echoes(&mut anna, b"hello"));
    let before = naive.cpu_time();
    anna.shutdown(Shutdown::Write).unwrap();
    // The program uses CPU time for as long as we look. If it slept, this would never end.
    while naive.cpu_time() < before + 10 {
        std::thread::yield_now();
    }
    let mut ben = naive.connect();
    assert!(echoes(&mut ben, b"hello"), "a spinning server still serves");
}

#[test]
fn a_client_that_does_not_read_ends_it() {
    let mut naive = Naive::start();
    let mut client = naive.connect();
    // The server closes the connection when it ends, and then the write fails.
    while client.write_all(&[b'x'; 4096]).is_ok() {}
    let mut said = String::new();
    naive.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("WouldBlock"), "{said}");
}
