//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_step07_full_loop");

/// A server in a process of its own, for as long as the test runs.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start() -> Server {
        let mut process =
            Command::new(PROGRAM).arg("serve").stdout(Stdio::piped()).spawn().unwrap();
        let address = clients::address_of(&mut process);
        Server { process, address }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn several_clients_are_answered_at_once() {
    clients::several_at_once(Server::start().address);
}

#[test]
fn a_message_larger_than_all_buffers_comes_back_whole_after_a_half_close() {
    clients::large_and_half_closed(Server::start().address);
}

#[test]
fn a_client_that_resets_ends_nobody_else() {
    let server = Server::start();
    clients::reset(server.address);
    clients::ping(server.address);
}

#[test]
fn a_client_that_never_reads_holds_up_nobody_else() {
    let server = Server::start();
    let _greedy = clients::never_reads(server.address);
    clients::ping(server.address);
}

#[test]
fn clients_wait_while_the_process_is_out_of_descriptors() {
    clients::more_than_descriptors(PROGRAM);
}

#[test]
fn ctrl_c_and_sigterm_end_it_with_exit_code_0_and_its_clients_with_it() {
    for signal in ["INT", "TERM"] {
        let mut server = Server::start();
        let mut client = TcpStream::connect(server.address).unwrap();
        clients::exchange(&mut client, b"hello");
        server.signal(signal);
        assert!(server.process.wait().unwrap().success(), "after SIG{signal}");
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "the client reads the end");
        assert!(TcpStream::connect(server.address).is_err(), "nobody listens any more");
    }
}

#[test]
fn a_server_without_descriptors_sleeps_and_lets_clients_in_when_there_is_room_again() {
    clients::room_comes_back(env!("CARGO_BIN_EXE_step07_full_loop"));
}

#[test]
fn clients_are_let_in_at_once_though_nobody_says_a_word() {
    clients::silent_clients(env!("CARGO_BIN_EXE_step07_full_loop"));
}
