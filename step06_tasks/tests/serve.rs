//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;

use kit::clients::{self, Server};
use rustix::process::Signal;
use step06_tasks::{EchoServer, Stopper};

const PROGRAM: &str = env!("CARGO_BIN_EXE_step06_tasks");

kit::echo_server_tests!(PROGRAM);

/// Starts a server in its own thread: tasks aren't `Send`, so the server is made there.
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
fn another_thread_stops_it_though_a_client_does_not_read() {
    let (server, stopper, running) = start();
    let _greedy = clients::never_reads(server);
    stopper.stop();
    running.join().unwrap();
    clients::until_nobody_listens(server);
}

#[test]
fn ctrl_c_and_sigterm_end_the_process_with_exit_code_0() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Server::start(PROGRAM);
        clients::ping(server.address);
        server.signal(signal);
        assert!(server.process.wait().unwrap().success(), "after {signal:?}");
    }
}
