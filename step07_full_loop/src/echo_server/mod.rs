//! The echo server, as you'd write it with asyncio: the loop is now the real one.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::rc::Rc;

use step01_fd::raise_descriptor_limit;
use step06_tasks::Result;

use crate::{LoopError, TcpListener, create_task, get_running_loop, run};
use connection::serve_client;
use idle::LastActivity;
use shutdown::until_sigterm;

mod connection;
mod idle;
mod shutdown;

/// One buffer for the reads of all connections, since no connection needs it across an await.
type Scratch = Rc<RefCell<Vec<u8>>>;

/// The size of the buffer for reads: large enough that a busy client needs few calls.
const SCRATCH_SIZE: usize = 64 * 1024;

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose a free one.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    match run(until_sigterm(accept_clients(port))) {
        Ok(()) | Err(LoopError::Interrupted) => Ok(()),
        Err(LoopError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Accepts clients, and starts a task for each.
async fn accept_clients(port: u16) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    announce(listener.local_addr()?)?;
    let scratch: Scratch = Rc::new(RefCell::new(vec![0; SCRATCH_SIZE]));
    loop {
        let (client, _address) = listener.accept().await?;
        let last_activity = LastActivity::now(&get_running_loop()?);
        let serving = serve_client(client, Rc::clone(&scratch), Rc::clone(&last_activity));
        last_activity.watch(create_task(serving)?);
    }
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {address}")?;
    out.flush()
}
