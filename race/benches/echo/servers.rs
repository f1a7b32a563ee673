//! The servers.
//!
//! What might be unfair, against ours: they close clients that are silent for a minute, so they note
//! the time of each message, and tokio's has no such limit. In ours' favour: their clients share a
//! buffer, where each of tokio's has its own, as in most of its programs.

use std::net::Ipv4Addr;
use std::sync::mpsc::Sender;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::serving::Started;

pub(crate) fn step05(started: Sender<Started>) -> Result<()> {
    let server = step05_selfpipe::EchoServer::bind(0)?;
    let handle = server.handle();
    started.send(Started::new(server.local_addr()?, move || handle.stop()))?;
    Ok(server.run()?)
}

pub(crate) fn step06(started: Sender<Started>) -> Result<()> {
    let server = step06_tasks::EchoServer::bind(0)?;
    let stopper = server.stopper();
    started.send(Started::new(server.local_addr()?, move || stopper.stop()))?;
    Ok(server.run()?)
}

/// Large enough for a message, and small enough that a thousand of them stay in the cache.
const TOKIO_BUFFER: usize = 4096;

pub(crate) fn tokio(started: Sender<Started>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (stop, mut stopped) = oneshot::channel();
        let stop = move || {
            let _ = stop.send(());
        };
        started.send(Started::new(listener.local_addr()?, stop))?;
        let accepting = tokio::spawn(accept_clients(listener));
        // An error would say that the other end is gone, which is a reason to stop as well.
        let _ = (&mut stopped).await;
        accepting.abort();
        Ok(())
    })
}

async fn accept_clients(listener: TcpListener) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(echo(stream));
    }
}

async fn echo(mut stream: TcpStream) -> Result<()> {
    let mut buffer = vec![0; TOKIO_BUFFER];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await?;
    }
}
