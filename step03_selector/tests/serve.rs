//! The echo server under real clients.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

const PROGRAM: &str = env!("CARGO_BIN_EXE_step03_selector");

kit::echo_server_tests!(PROGRAM);
