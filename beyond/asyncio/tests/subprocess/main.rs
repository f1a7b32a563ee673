//! Other programs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use asyncio::{Result, run};
use kit::limit_time;

mod pipes;
mod process;

/// Runs a check on a loop of its own.
fn test(check: impl Future<Output = Result<()>> + 'static) {
    limit_time();
    run(check).unwrap();
}
