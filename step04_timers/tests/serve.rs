//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "serve/nap.rs"]
mod nap;

use std::thread;
use std::time::Duration;

use step04_timers::EchoServer;

const PROGRAM: &str = env!("CARGO_BIN_EXE_step04_timers");

kit::echo_server_tests!(PROGRAM);

#[test]
fn a_client_that_is_silent_for_too_long_is_closed_and_not_before() {
    let limit = Duration::from_millis(100);
    let mut server = EchoServer::bind(0).unwrap().with_idle_limit(limit);
    let address = server.local_addr().unwrap();
    thread::spawn(move || server.run());
    kit::clients::silent_for_too_long(address, limit);
}
