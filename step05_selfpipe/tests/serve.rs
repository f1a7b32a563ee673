//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "serve/shutdown.rs"]
mod shutdown;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use kit::clients::{self, Server};
use rustix::process::{Pid, Signal, kill_process};
use step05_selfpipe::EchoServer;

const PROGRAM: &str = env!("CARGO_BIN_EXE_step05_selfpipe");

kit::echo_server_tests!(PROGRAM);

#[test]
fn a_client_that_is_silent_for_too_long_is_closed_and_not_before() {
    let limit = Duration::from_millis(100);
    let server = EchoServer::bind(0).unwrap().with_idle_limit(limit);
    let address = server.local_addr().unwrap();
    thread::spawn(move || server.run());
    clients::silent_for_too_long(address, limit);
}

#[test]
fn another_thread_stops_it_and_what_has_arrived_is_answered_first() {
    let server = EchoServer::bind(0).unwrap();
    let address = server.local_addr().unwrap();
    let handle = server.handle();
    let mut client = TcpStream::connect(address).unwrap();
    let message = clients::pattern(10_000);
    client.write_all(&message).unwrap();
    thread::spawn(move || handle.stop()).join().unwrap();
    server.run().unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert!(answer == message);
    clients::until_nobody_listens(address);
}

#[test]
fn ctrl_c_ends_the_process_with_exit_code_0() {
    for signal in [Signal::INT, Signal::TERM] {
        // No process reads the output that the server prints at its end.
        let mut server = Server::start(PROGRAM);
        clients::ping(server.address);
        server.signal(signal);
        assert!(server.process.wait().unwrap().success(), "after {signal:?}");
    }
}

#[test]
fn ctrl_c_is_answered_with_a_line() {
    let mut program = Command::new(PROGRAM);
    let mut server = program.args(["serve-on", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("listening on "));
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest, ["the server has stopped"]);
    assert!(server.wait().unwrap().success());
}
