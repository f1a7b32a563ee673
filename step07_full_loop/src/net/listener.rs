//! A TCP listener whose connections can be awaited.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};

use step01_fd::CallError;
use step06_tasks::Result;

use super::accepting::Listening;
use crate::TcpStream;

/// Waits for connections. Dropping it closes the port.
///
/// ```
/// use step07_full_loop::{TcpListener, TcpStream, run};
/// let said = run(async {
///     let listener = TcpListener::bind("127.0.0.1:0")?;
///     let client = TcpStream::connect(listener.local_addr()?).await?;
///     let (served, _address) = listener.accept().await?;
///     client.write_all(b"hello").await?;
///     let mut buffer = [0; 16];
///     let count = served.read(&mut buffer).await?;
///     Ok(buffer[..count].to_vec())
/// })?;
/// assert_eq!(said, b"hello");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub struct TcpListener {
    listening: Listening<std::net::TcpListener>,
}

impl TcpListener {
    /// Listens on an address, on the loop that runs in this thread. Port 0 lets the kernel choose.
    ///
    /// Of several addresses, it takes the first one that it can listen on. A name is looked up here
    /// and now, and blocks the loop: [`Address::resolve`](crate::Address::resolve) it before.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self> {
        let mut refused = io::Error::from(io::ErrorKind::InvalidInput);
        for address in address.to_socket_addrs()? {
            match std::net::TcpListener::bind(address) {
                Ok(listener) => return TcpListener::from_std(listener),
                Err(error) => refused = CallError::wrap(format!("bind to {address}"), error),
            }
        }
        Err(refused.into())
    }

    /// Takes over a listener that exists, on the loop that runs in this thread, and makes it
    /// non-blocking.
    pub fn from_std(listener: std::net::TcpListener) -> Result<Self> {
        Ok(TcpListener { listening: Listening::new(listener)? })
    }

    /// Sets how many connections the kernel completes and keeps until they're accepted; see
    /// `listen(2)`. It's 128 at first (asyncio: 100), and the system has a limit of its own.
    pub fn set_backlog(&self, connections: i32) -> io::Result<()> {
        let set = rustix::net::listen(self, connections);
        set.map_err(|error| CallError::wrap(format!("listen, backlog {connections}"), error.into()))
    }

    /// Returns the address it listens on.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listening.socket().local_addr()
    }

    /// Waits for a connection, and returns it with the address of the other side.
    ///
    /// What goes wrong with one connection is reported, and the next one is accepted: the network has
    /// failed it already, or it can't be registered. If its peer has only closed it, it's skipped
    /// without a word. When the process or the system has no descriptor left, accepting pauses for a
    /// second, as asyncio does: the connection would stay in the queue, and the loop would spin over
    /// it. Fails if the listener itself is broken.
    pub async fn accept(&self) -> Result<(TcpStream, SocketAddr)> {
        self.listening.accept(std::net::TcpListener::accept).await
    }
}

impl AsFd for TcpListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listening.socket().as_fd()
    }
}

impl std::fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TcpListener").field(self.listening.socket()).finish()
    }
}
