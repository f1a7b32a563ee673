//! Protocols for the clients of a server; asyncio's `create_server`.

use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use step06_tasks::{Error, Result};

use super::transport::{Connection, OpenTransports, Parts};
use super::{Protocol, StreamSocket, Transport};
use crate::event_loop::EventLoop;
use crate::net::{Address, Client, Clients, Counted, Server, ServerOptions, Serves, report};

impl EventLoop {
    /// Listens on all addresses of a host, and makes a protocol for each connection; asyncio's
    /// `create_server`. It's [`ServerOptions::create_server`] with the defaults.
    ///
    /// ```
    /// use step07_full_loop::{Protocol, get_running_loop, run};
    ///
    /// struct Silent;
    ///
    /// impl Protocol for Silent {}
    ///
    /// run(async {
    ///     let event_loop = get_running_loop()?;
    ///     let server = event_loop.create_server(|| Silent, "127.0.0.1:0").await?;
    ///     let address = server.local_addrs()?[0];
    ///     let (client, _) = event_loop.create_connection(|| Silent, address).await?;
    ///     server.close();
    ///     // The connection that it has accepted ends with its other side.
    ///     client.close();
    ///     server.wait_closed().await
    /// })?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub async fn create_server<P: Protocol + 'static>(
        &self,
        factory: impl Fn() -> P + 'static,
        address: impl Into<Address>,
    ) -> Result<Server> {
        ServerOptions::default().create_server(factory, address).await
    }
}

impl ServerOptions {
    /// Listens on all addresses of a host, and makes a protocol for each connection, on the loop that
    /// runs in this thread. With port 0, the kernel chooses a port for each address. Fails if one of
    /// them can't be had.
    ///
    /// Each connection begins in a task of its own. If the factory panics, the connection is closed,
    /// and that's reported. (asyncio reports it in debug mode only.)
    pub async fn create_server<P: Protocol + 'static>(
        &self,
        factory: impl Fn() -> P + 'static,
        address: impl Into<Address>,
    ) -> Result<Server> {
        let factory = Rc::new(move || Rc::new(factory()) as Rc<dyn Protocol>);
        self.listen(address.into(), Box::new(Protocols { factory })).await
    }
}

/// Serves by protocols.
struct Protocols {
    factory: Rc<dyn Fn() -> Rc<dyn Protocol>>,
}

impl Serves for Protocols {
    /// The factory is the program's own code, and so runs a tick later, in a task.
    fn serve(&self, event_loop: &EventLoop, client: OwnedFd, counted: Counted) -> Result<()> {
        let (server, factory) = (event_loop.clone(), Rc::clone(&self.factory));
        event_loop.create_task(async move {
            if let Err(error) = begin(&server, &*factory, client, counted).await {
                report(&server, "Error on transport creation for incoming connection", error);
            }
            Ok(())
        });
        Ok(())
    }

    fn open_connections(&self, event_loop: &EventLoop, of: &Rc<Clients>) -> Vec<Rc<dyn Client>> {
        let mut open = event_loop.attached::<OpenTransports>().all();
        open.retain(|connection| of.contains(&connection.counted));
        open.into_iter().map(|connection| connection as _).collect()
    }
}

async fn begin(
    event_loop: &EventLoop,
    factory: &dyn Fn() -> Rc<dyn Protocol>,
    client: OwnedFd,
    counted: Counted,
) -> Result<()> {
    let made = catch_unwind(AssertUnwindSafe(factory));
    let protocol = made.map_err(Error::from_panic)?;
    let socket = StreamSocket::Tcp(client.into());
    Transport::make(event_loop, Parts { socket, protocol, counted: Some(counted) }).await?;
    Ok(())
}

impl Client for Connection {
    fn close(self: Rc<Self>) {
        Transport::of(self).close();
    }

    fn abort(self: Rc<Self>) {
        Transport::of(self).abort();
    }
}
