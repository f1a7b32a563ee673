//! The servers of steps 05 and 06 and tokio's server.
//!
//! Possible unfairness, against ours: our servers disconnect clients that stay silent for a minute,
//! so they record the time of each message, whereas tokio's server has no such limit. In our
//! favour: each of our servers reads into one buffer for all clients, whereas tokio's server has a
//! buffer for each client, as is usual with tokio.

use std::sync::mpsc::Sender;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::on_tokio;
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

/// The size of tokio's buffers, large enough for a message.
const TOKIO_BUFFER: usize = 16 * 1024;

pub(crate) fn tokio(started: Sender<Started>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    on_tokio::serve(&runtime, &started, |stream| drop(tokio::spawn(echo(stream))))
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
