//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../step02_epoll/tests/clients/mod.rs"]
mod clients;

const PROGRAM: &str = env!("CARGO_BIN_EXE_step03_selector");

clients::echo_server_tests!(PROGRAM);
