//! Tests of transports and protocols.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod callbacks;
mod closing;
mod not_forgotten;
mod reading;
mod refused;
mod scratch;
mod server;
mod support;
mod writing;
