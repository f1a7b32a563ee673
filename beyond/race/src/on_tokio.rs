//! A server on tokio's single-threaded runtime: the setup that all servers on tokio share.

use std::net::Ipv4Addr;
use std::sync::mpsc::Sender;

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::serving::Started;

/// Accepts clients until the server is stopped. `spawn` starts a task for each client.
pub(crate) fn serve(
    runtime: &Runtime,
    started: &Sender<Started>,
    spawn: impl Fn(TcpStream) + 'static + Send,
) -> Result<()> {
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (stop, stopped) = oneshot::channel();
        let stop = move || {
            let _ = stop.send(());
        };
        started.send(Started::new(listener.local_addr()?, stop))?;
        let accepting = tokio::spawn(accept_clients(listener, spawn));
        // An error means that the sender is gone, which is also a reason to stop.
        let _ = stopped.await;
        accepting.abort();
        Ok(())
    })
}

async fn accept_clients(listener: TcpListener, spawn: impl Fn(TcpStream)) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        spawn(stream);
    }
}
