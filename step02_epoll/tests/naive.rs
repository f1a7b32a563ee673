//! The first program of chapter 02: it serves two clients, spins once one client has left, and ends
//! because of a client that doesn't read.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Stdio;

use kit::clients::Server;

fn start() -> Server {
    let mut command = kit::example("step02_epoll", "naive");
    Server::from(command.arg("127.0.0.1:0").stderr(Stdio::piped()))
}

fn connect(naive: &Server) -> TcpStream {
    TcpStream::connect(naive.address).unwrap()
}

/// Returns the CPU time that the program has used, in clock ticks: see `proc_pid_stat(5)`.
fn cpu_time(naive: &Server) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", naive.process.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn echoes(client: &mut TcpStream, words: &[u8]) -> bool {
    client.write_all(words).unwrap();
    let mut answer = vec![0; words.len()];
    client.read_exact(&mut answer).unwrap();
    answer == words
}

#[test]
fn two_clients_are_served_in_turn() {
    let naive = start();
    let (mut anna, mut ben) = (connect(&naive), connect(&naive));
    assert!(echoes(&mut ben, b"hello"));
    assert!(echoes(&mut anna, b"good morning"));
    assert!(echoes(&mut ben, b"still here"));
}

#[test]
fn it_spins_once_a_client_has_left() {
    let naive = start();
    let mut anna = connect(&naive);
    assert!(echoes(&mut anna, b"hello"));
    let before = cpu_time(&naive);
    anna.shutdown(Shutdown::Write).unwrap();
    // The program uses CPU time for as long as we look. If it slept, this would never end.
    while cpu_time(&naive) < before + 10 {
        std::thread::yield_now();
    }
    let mut ben = connect(&naive);
    assert!(echoes(&mut ben, b"hello"), "a spinning server still serves");
}

#[test]
fn a_client_that_does_not_read_ends_it() {
    let mut naive = start();
    let mut client = connect(&naive);
    // The server closes the connection when it ends, and then the write fails.
    while client.write_all(&[b'x'; 4096]).is_ok() {}
    let mut said = String::new();
    naive.process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("WouldBlock"), "{said}");
}
