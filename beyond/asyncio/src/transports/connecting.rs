//! The functions that create transports, for a connected socket or for each client of a server;
//! asyncio's `create_server`.

use std::io;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use step06_tasks::{Error, Result};

use super::{Protocol, StreamSocket, Transport};
use crate::EventLoop;
use crate::net::{Address, Counted, Server, ServerOptions, Serves, report};

impl Transport {
    /// Makes a protocol and a transport for a connected socket. Returns both once `connection_made`
    /// has been called.
    pub(crate) async fn begin_on<P: Protocol + 'static>(
        event_loop: &EventLoop,
        factory: impl FnOnce() -> P,
        socket: StreamSocket,
    ) -> Result<(Transport, Rc<P>)> {
        let protocol = Rc::new(factory());
        let called = Rc::clone(&protocol) as Rc<dyn Protocol>;
        Ok((Transport::make(event_loop, called, socket, None).await?, protocol))
    }

    /// Makes a connection and waits until `connection_made` has been called. If the wait is
    /// cancelled or dropped, the connection is closed.
    async fn make(
        event_loop: &EventLoop,
        protocol: Rc<dyn Protocol>,
        socket: StreamSocket,
        counted: Option<Counted>,
    ) -> Result<Transport> {
        let made = event_loop.create_future();
        let begun = Transport::begin(event_loop, protocol, socket, counted, made.clone())?;
        let mut begun = Begun(Some(begun));
        made.await?;
        begun.0.take().ok_or_else(|| io::Error::other("the connection is gone").into())
    }
}

/// A new connection that `make` hasn't returned yet. Dropping this value closes the connection.
struct Begun(Option<Transport>);

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(transport) = &self.0 {
            transport.close();
        }
    }
}

impl ServerOptions {
    /// Listens on all addresses of one or several hosts and makes a protocol for each connection,
    /// on the loop that runs in this thread. With port 0, the kernel chooses a port for each
    /// address. An address that this machine can't have, such as an IPv6 address if IPv6 is off, is
    /// skipped as long as another address can be bound.
    ///
    /// Each connection begins in its own task. If the factory panics, the connection is closed and
    /// the panic is reported. Until 2026 asyncio reported such an error in debug mode only.
    ///
    /// # Errors
    ///
    /// Fails as [`Address::resolve`] does. Also fails if an address can't be used and isn't
    /// skipped, and with `Cancelled` if the task is cancelled.
    pub async fn create_server<P: Protocol + 'static>(
        &self,
        factory: impl Fn() -> P + 'static,
        address: impl Into<Address>,
    ) -> Result<Server> {
        let factory = Rc::new(move || Rc::new(factory()) as Rc<dyn Protocol>);
        self.listen(address.into(), Box::new(Protocols { factory })).await
    }
}

/// Serves each client with a protocol.
struct Protocols {
    factory: Rc<dyn Fn() -> Rc<dyn Protocol>>,
}

impl Serves for Protocols {
    /// Serves a client in a new task, because the factory is the program's own code.
    fn serve(&self, event_loop: &EventLoop, client: OwnedFd, counted: Counted) -> Result<()> {
        let (server, factory) = (event_loop.clone(), Rc::clone(&self.factory));
        event_loop.create_task(async move {
            let begun = begin(&server, &*factory, client, counted).await;
            // A task that's cancelled, by the end of the loop for example, hasn't failed.
            if let Err(error) = begun
                && !error.is_cancelled()
            {
                report(&server, "Error on transport creation for incoming connection", error);
            }
            Ok(())
        });
        Ok(())
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
    Transport::make(event_loop, protocol, socket, Some(counted)).await?;
    Ok(())
}
