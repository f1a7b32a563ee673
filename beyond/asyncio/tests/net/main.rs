//! Names, servers, streams and datagrams.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod changes_nothing;
mod fairness;
mod families;
mod named;
mod numbers;
mod reader;
mod reader_limits;
mod refused;
mod server;
mod shown;
mod sock;
mod udp;
mod unix;
mod waits;
mod wakers;
mod writer;
mod writer_waits;
