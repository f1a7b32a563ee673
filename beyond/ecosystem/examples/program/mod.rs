//! The startup and shutdown that these example programs share.

#![allow(dead_code, reason = "not every program needs all of it")]

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use asyncio::{LoopError, Result, run};

/// Runs the program on a loop. Ctrl-C ends it with exit status 130, which is 128 plus SIGINT's
/// number.
pub(crate) fn start(main: impl Future<Output = Result<()>> + 'static) -> ExitCode {
    match run(main) {
        Ok(()) => ExitCode::SUCCESS,
        Err(LoopError::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the address to serve: 127.0.0.1, with the port from the program's first argument, or
/// `port`.
pub(crate) fn address(port: u16) -> SocketAddr {
    let asked = std::env::args().nth(1).and_then(|word| word.parse().ok());
    (Ipv4Addr::LOCALHOST, asked.unwrap_or(port)).into()
}
