//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use step05_selfpipe::EchoServer;

/// A server in a thread of its own, for as long as the test runs.
fn start() -> SocketAddr {
    let server = EchoServer::bind(0).unwrap();
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
    clients::more_than_descriptors(env!("CARGO_BIN_EXE_step05_selfpipe"));
}

#[test]
fn a_client_that_never_reads_holds_up_nobody_else() {
    let server = start();
    let _greedy = clients::never_reads(server);
    clients::ping(server);
}

#[test]
fn another_thread_stops_it_and_what_has_come_is_answered_first() {
    let server = EchoServer::bind(0).unwrap();
    let address = server.local_addr().unwrap();
    let remote = server.remote();
    let mut client = TcpStream::connect(address).unwrap();
    let message = clients::pattern(10_000);
    client.write_all(&message).unwrap();
    thread::spawn(move || remote.stop()).join().unwrap();
    server.run().unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert!(answer == message);
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn a_slow_client_may_fetch_its_answer_after_the_stop() {
    let server = EchoServer::bind(0).unwrap();
    let address = server.local_addr().unwrap();
    let remote = server.remote();
    let running = thread::spawn(move || server.run());
    let mut client = clients::never_reads(address);
    remote.stop();
    client.set_nonblocking(false).unwrap();
    let mut answer = Vec::new();
    // What was still on its way when the server closed is lost, and may end this in a reset.
    let _ = client.read_to_end(&mut answer);
    assert!(!answer.is_empty());
    running.join().unwrap().unwrap();
}

#[test]
fn ctrl_c_ends_the_process_with_exit_code_0() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_step05_selfpipe"))
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        clients::ping(clients::address_of(&mut process));
        // SAFETY: the process is a child we have not waited for, so the number is still its own.
        assert_eq!(unsafe { libc::kill(process.id().cast_signed(), signal) }, 0);
        assert!(process.wait().unwrap().success());
    }
}

#[test]
fn a_server_without_descriptors_sleeps_and_lets_clients_in_when_there_is_room_again() {
    clients::room_comes_back(env!("CARGO_BIN_EXE_step05_selfpipe"));
}

#[test]
fn clients_are_let_in_at_once_though_nobody_says_a_word() {
    clients::silent_clients(env!("CARGO_BIN_EXE_step05_selfpipe"));
}
