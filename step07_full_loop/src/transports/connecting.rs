//! Connecting to a server, and taking over a socket that's connected.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;

use step01_fd::CallError;
use step02_epoll::{Connected, Connecting, connect};
use step06_tasks::Result;

use super::transport::Parts;
use super::{Protocol, StreamSocket, Transport};
use crate::event_loop::EventLoop;

impl EventLoop {
    /// Connects to `address`, and makes a protocol for the connection; asyncio's `create_connection`.
    /// Returns both once `connection_made` was called.
    ///
    /// Cancelled or dropped before that, it leaves nothing behind. The address is one of IPv4, as step
    /// 02's [`connect`](step02_epoll::connect) takes it; for another socket, connect it yourself and
    /// hand it to [`connect_accepted_socket`](EventLoop::connect_accepted_socket).
    ///
    /// ```
    /// use step07_full_loop::{Protocol, Result, Transport, get_running_loop, run};
    ///
    /// struct Greeting;
    ///
    /// impl Protocol for Greeting {
    ///     fn connection_made(&self, transport: &Transport) -> Result<()> {
    ///         transport.write(b"hello")
    ///     }
    /// }
    ///
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let address = listener.local_addr()?;
    /// run(async move {
    ///     let event_loop = get_running_loop()?;
    ///     let (transport, _) = event_loop.create_connection(|| Greeting, address).await?;
    ///     assert_eq!(transport.peer_addr(), Some(address));
    ///     transport.close();
    ///     Ok(())
    /// })?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub async fn create_connection<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        address: SocketAddr,
    ) -> Result<(Transport, Rc<P>)> {
        let SocketAddr::V4(to) = address else {
            let reason = io::Error::new(io::ErrorKind::Unsupported, "it isn't an address of IPv4");
            return Err(named(address, reason).into());
        };
        let socket = self.connected(connect(to)?, address).await?;
        self.connect_accepted_socket(factory, socket).await
    }

    /// Makes a protocol and a transport for a socket that's connected already: one that other code has
    /// accepted, or one of a pair; asyncio's `connect_accepted_socket`. Returns both once
    /// `connection_made` was called.
    pub async fn connect_accepted_socket<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        socket: impl Into<StreamSocket>,
    ) -> Result<(Transport, Rc<P>)> {
        let protocol = Rc::new(factory());
        let parts = Parts {
            socket: socket.into(),
            protocol: Rc::clone(&protocol) as Rc<dyn Protocol>,
            counted: None,
        };
        Ok((Transport::make(self, parts).await?, protocol))
    }

    async fn connected(
        &self,
        mut connecting: Connecting,
        address: SocketAddr,
    ) -> Result<TcpStream> {
        loop {
            self.until_writable(&connecting).await?;
            match connecting.finish().map_err(|reason| named(address, reason))? {
                Connected::Yes(stream) => return Ok(stream),
                Connected::NotYet(still) => connecting = still,
            }
        }
    }

    async fn until_writable(&self, connecting: &Connecting) -> Result<()> {
        let writable = self.create_future();
        let ready = writable.clone();
        self.add_writer(connecting, move || drop(ready.set_result(())))?;
        let _watched = Watched { event_loop: self, connecting };
        writable.await
    }
}

/// A connection that's being made, and whose writer is removed however the wait ends.
struct Watched<'a> {
    event_loop: &'a EventLoop,
    connecting: &'a Connecting,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.event_loop.remove_writer(self.connecting);
    }
}

impl Transport {
    /// Makes a connection, and waits until `connection_made` was called. If the wait is cancelled or
    /// dropped, the connection is closed.
    pub(super) async fn make(event_loop: &EventLoop, parts: Parts) -> Result<Transport> {
        let made = event_loop.create_future();
        let mut begun = Begun(Some(Transport::begin(event_loop, parts, made.clone())?));
        made.await?;
        begun.0.take().ok_or_else(|| io::Error::other("the connection is gone").into())
    }
}

/// A connection that nobody has got yet.
struct Begun(Option<Transport>);

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(transport) = &self.0 {
            transport.close();
        }
    }
}

fn named(address: SocketAddr, reason: io::Error) -> io::Error {
    CallError::wrap(format!("connect to {address}"), reason)
}
