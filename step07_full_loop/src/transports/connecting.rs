//! Connecting to a server, and taking over a socket that's connected.

use std::io;
use std::rc::Rc;

use step06_tasks::Result;

use super::transport::Parts;
use super::{Protocol, StreamSocket, Transport};
use crate::event_loop::EventLoop;
use crate::net::{Address, connect_to, expect_stream};

impl EventLoop {
    /// Connects to an address, and makes a protocol for the connection; asyncio's `create_connection`.
    /// Returns both once `connection_made` was called.
    ///
    /// A name is looked up first, in a thread of the loop's pool, and each of its addresses is tried in
    /// turn until one answers. Cancelled or dropped before the end, it leaves nothing behind. Fails with
    /// the errors of all attempts, each of which names its address. For a socket of another kind,
    /// connect it yourself and hand it to
    /// [`connect_accepted_socket`](EventLoop::connect_accepted_socket).
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
        address: impl Into<Address>,
    ) -> Result<(Transport, Rc<P>)> {
        let socket = connect_to(address).await?;
        self.begin_on(factory, socket.into()).await
    }

    /// Makes a protocol and a transport for a socket that's connected already: one that other code has
    /// accepted, or one of a pair; asyncio's `connect_accepted_socket`. Returns both once
    /// `connection_made` was called. Fails if the socket isn't a stream.
    pub async fn connect_accepted_socket<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        socket: impl Into<StreamSocket>,
    ) -> Result<(Transport, Rc<P>)> {
        let socket = socket.into();
        expect_stream(&socket)?;
        self.begin_on(factory, socket).await
    }

    async fn begin_on<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        socket: StreamSocket,
    ) -> Result<(Transport, Rc<P>)> {
        let protocol = Rc::new(factory());
        let parts =
            Parts { socket, protocol: Rc::clone(&protocol) as Rc<dyn Protocol>, counted: None };
        Ok((Transport::make(self, parts).await?, protocol))
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
