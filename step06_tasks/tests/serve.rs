//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use step06_tasks::{EchoServer, Stopper};

const PROGRAM: &str = env!("CARGO_BIN_EXE_step06_tasks");

/// A server in a thread of its own: its tasks do not travel, so it is made there.
fn start() -> (SocketAddr, Stopper, thread::JoinHandle<()>) {
    let (tell, told) = mpsc::channel();
    let running = thread::spawn(move || {
        let server = EchoServer::bind(0).unwrap();
        tell.send((server.local_addr().unwrap(), server.stopper())).unwrap();
        server.run().unwrap();
    });
    let (address, stopper) = told.recv().unwrap();
    (address, stopper, running)
}

#[test]
fn several_clients_are_answered_at_once() {
    clients::several_at_once(start().0);
}

#[test]
fn a_message_larger_than_all_buffers_comes_back_whole_after_a_half_close() {
    clients::large_and_half_closed(start().0);
}

#[test]
fn a_client_that_resets_ends_nobody_else() {
    let (server, ..) = start();
    clients::reset(server);
    clients::ping(server);
}

#[test]
fn a_client_that_never_reads_holds_up_nobody_else() {
    let (server, ..) = start();
    let _greedy = clients::never_reads(server);
    clients::ping(server);
}

#[test]
fn clients_wait_while_the_process_is_out_of_descriptors() {
    clients::more_than_descriptors(PROGRAM);
}

#[test]
fn another_thread_stops_it_though_a_client_does_not_read() {
    let (server, stopper, running) = start();
    let _greedy = clients::never_reads(server);
    stopper.stop();
    running.join().unwrap();
    assert!(TcpStream::connect(server).is_err(), "nobody listens any more");
}

#[test]
fn ctrl_c_and_sigterm_end_the_process_with_exit_code_0() {
    for signal in ["INT", "TERM"] {
        let mut process =
            Command::new(PROGRAM).arg("serve").stdout(Stdio::piped()).spawn().unwrap();
        clients::ping(clients::address_of(&mut process));
        let sent = Command::new("kill").args(["-s", signal, &process.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert!(process.wait().unwrap().success(), "after SIG{signal}");
    }
}

#[test]
fn a_server_without_descriptors_sleeps_and_lets_clients_in_when_there_is_room_again() {
    clients::room_comes_back(env!("CARGO_BIN_EXE_step06_tasks"));
}

#[test]
fn clients_are_let_in_at_once_though_nobody_says_a_word() {
    clients::silent_clients(env!("CARGO_BIN_EXE_step06_tasks"));
}
