//! Names, servers, streams and datagrams.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use asyncio::{Result, run};
use kit::limit_time;

mod changes_nothing;
#[path = "../support/mod.rs"]
mod common;
mod fairness;
mod families;
mod named;
mod numbers;
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

/// Runs a check on a loop of its own.
fn test(check: impl Future<Output = Result<()>> + 'static) {
    limit_time();
    run(check).unwrap();
}
