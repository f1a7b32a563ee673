//! Servers on step 07's loop, written in three ways: as a task per client on step 07's bare
//! streams, on the library's `StreamReader` and `StreamWriter`, and as a protocol.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::Sender;

use anyhow::Result;
use asyncio::{
    Clients, EventLoopExt as _, Protocol, StreamReader, StreamWriter, TcpListener, Transport,
    accept_clients, create_task, get_running_loop, run, start_server,
};

use crate::serving::Started;

const ANY_PORT: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);
/// The maximum number of bytes that the server asks a `StreamReader` for at once.
const CHUNK: usize = 64 * 1024;

/// Runs the book's server, which also records the time of each client's last message.
pub(crate) fn tasks(started: Sender<Started>) -> Result<()> {
    run(async move {
        let listener = TcpListener::bind(ANY_PORT)?;
        let address = listener.local_addr()?;
        create_task(accept_clients(listener, Clients::new()))?;
        until_stopped(&started, address).await
    })?;
    Ok(())
}

pub(crate) fn streams(started: Sender<Started>) -> Result<()> {
    run(async move {
        let server = start_server(echo, ANY_PORT).await?;
        for address in server.local_addrs()? {
            until_stopped(&started, address).await?;
        }
        Ok(())
    })?;
    Ok(())
}

async fn echo(mut reader: StreamReader, writer: StreamWriter) -> asyncio::Result<()> {
    loop {
        let message = reader.read(CHUNK).await?;
        if message.is_empty() {
            return Ok(());
        }
        writer.write(&message)?;
        writer.drain().await?;
    }
}

struct Echo;

impl Protocol for Echo {
    fn data_received(&self, transport: &Transport, data: &[u8]) -> asyncio::Result<()> {
        transport.write(data)
    }
}

pub(crate) fn protocol(started: Sender<Started>) -> Result<()> {
    run(async move {
        let server = get_running_loop()?.create_server(|| Echo, ANY_PORT).await?;
        for address in server.local_addrs()? {
            until_stopped(&started, address).await?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Reports the server's address and waits to be stopped. After this function returns, `run` cancels
/// the remaining tasks and closes the loop.
async fn until_stopped(started: &Sender<Started>, address: SocketAddr) -> asyncio::Result<()> {
    let (stopped, completer) = get_running_loop()?.create_remote_future::<()>();
    let stop = move || {
        // This fails if the loop is closed, and then there's nothing left to stop.
        let _ = completer.complete(Ok(()));
    };
    // If the receiver is gone, the server isn't needed: `stop` is dropped, which ends the wait
    // below.
    let _ = started.send(Started::new(address, stop));
    stopped.await
}
