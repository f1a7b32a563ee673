//! The loop so far is the real one: the echo server as one would write it with asyncio.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::rc::Rc;

use step01_fd::{Read, raise_descriptor_limit};
use step05_selfpipe::SIGTERM;
use step06_tasks::{Error, Result};

use crate::{LoopError, TcpListener, TcpStream, create_task, get_running_loop, run};
use idle::LastActivity;

mod idle;

/// One buffer for all connections: none needs it between two awaits.
type Scratch = Rc<RefCell<Vec<u8>>>;

const SCRATCH_SIZE: usize = 64 * 1024;

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose one.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    match run(serve_until_stopped(port)) {
        Ok(()) | Err(LoopError::Interrupted) => Ok(()),
        Err(LoopError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// `run` cancels its main on SIGINT; here SIGTERM does the same.
async fn serve_until_stopped(port: u16) -> Result<()> {
    let server = create_task(accept_clients(port))?;
    let stopped = server.clone();
    get_running_loop()?.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    match server.await {
        Err(Error::Cancelled) => Ok(()),
        outcome => outcome,
    }
}

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

/// A client that goes away without a goodbye is no fault of the server's.
async fn serve_client(
    client: TcpStream,
    scratch: Scratch,
    last_activity: Rc<LastActivity>,
) -> Result<()> {
    match echo(&client, &scratch, &last_activity).await {
        Err(error) if is_lost_connection(&error) => Ok(()),
        outcome => outcome,
    }
}

// ANCHOR: echo
/// Sends back what comes, until the client ends. What the kernel does not take at once is copied,
/// and nothing more is read until it is sent: a slow client costs no more memory than that.
async fn echo(client: &TcpStream, scratch: &Scratch, heard_of: &LastActivity) -> Result<()> {
    loop {
        client.readable().await?;
        heard_of.note();
        let unsent = {
            let buffer = &mut *scratch.borrow_mut();
            match client.try_read(buffer)? {
                Read::End => return Ok(()),
                Read::WouldBlock => continue,
                Read::Bytes(count) => {
                    let sent = client.try_write(&buffer[..count])?;
                    buffer[sent..count].to_vec()
                }
            }
        };
        client.write_all(&unsent).await?;
    }
}
// ANCHOR_END: echo

fn is_lost_connection(error: &Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset};
    matches!(error, Error::Io(error)
        if matches!(error.kind(), BrokenPipe | ConnectionReset))
}
