//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

use std::net::SocketAddr;
use std::thread;

use step03_selector::EchoServer;

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
    clients::more_than_descriptors(env!("CARGO_BIN_EXE_step03_selector"));
}

#[test]
fn a_client_that_never_reads_holds_up_nobody_else() {
    let server = start();
    let _greedy = clients::never_reads(server);
    clients::ping(server);
}

#[test]
fn a_server_without_descriptors_sleeps_and_lets_clients_in_when_there_is_room_again() {
    clients::room_comes_back(env!("CARGO_BIN_EXE_step03_selector"));
}

#[test]
fn clients_are_let_in_at_once_though_nobody_says_a_word() {
    clients::silent_clients(env!("CARGO_BIN_EXE_step03_selector"));
}
