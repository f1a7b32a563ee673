//! The echo server, as you'd write it with asyncio, on the full loop.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step06_tasks::Result;

use crate::{LoopError, TcpListener, create_task, run};

mod clients;
mod connection;
mod idle;
mod shutdown;

pub use clients::Clients;
pub use shutdown::serve_until_stopped;

/// The time that each client gets for its answer when the server stops.
const GRACE: Duration = Duration::from_secs(5);

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose a port.
///
/// After the signal, answers the bytes that have arrived until none are left, but for at most five
/// seconds, and returns. Meanwhile a second signal of the same kind ends the process.
///
/// # Errors
///
/// Fails as [`raise_descriptor_limit`] does, if the port isn't available, if the address can't be
/// printed, if another loop handles signals, or if the listener or the loop itself fails.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    match run(serve_on(port)) {
        Ok(()) | Err(LoopError::Interrupted) => Ok(()),
        Err(LoopError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

async fn serve_on(port: u16) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    announce(listener.local_addr()?)?;
    let clients = Clients::new();
    let accepting = create_task(accept_clients(listener, clients.clone()))?;
    serve_until_stopped(accepting, clients, GRACE).await
}

/// Accepts clients and adds a task for each client to the list. Ends only with an error.
///
/// # Errors
///
/// Fails as [`TcpListener::accept`] does: if the listener is broken, or with `Cancelled`.
pub async fn accept_clients(listener: TcpListener, clients: Clients) -> Result<()> {
    loop {
        let (client, _address) = listener.accept().await?;
        clients.serve(client)?;
    }
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {address}")?;
    out.flush()
}
