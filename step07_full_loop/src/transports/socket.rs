//! The sockets that a transport can have: streams of bytes, over TCP or within the machine.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use step01_fd::{CallError, set_nonblocking};

/// A connected stream socket. It's made from std's, by `into()`.
#[derive(Debug)]
pub enum StreamSocket {
    /// A TCP connection.
    Tcp(TcpStream),
    /// A connection to another process of the machine, or to the other end of a pair.
    Unix(UnixStream),
}

impl StreamSocket {
    /// Makes it ready for a loop. Small writes are sent at once: Nagle's algorithm, which waits for
    /// more, is off. (asyncio: `_set_nodelay`)
    pub(crate) fn prepare(&self) -> io::Result<()> {
        set_nonblocking(self, true)?;
        match self {
            StreamSocket::Tcp(stream) => stream
                .set_nodelay(true)
                .map_err(|reason| self.named("setsockopt TCP_NODELAY", reason)),
            StreamSocket::Unix(_) => Ok(()),
        }
    }

    /// Tells the other side that nothing more will come.
    pub(crate) fn shutdown_writing(&self) -> io::Result<()> {
        let shut_down = match self {
            StreamSocket::Tcp(stream) => stream.shutdown(Shutdown::Write),
            StreamSocket::Unix(stream) => stream.shutdown(Shutdown::Write),
        };
        shut_down.map_err(|reason| self.named("shutdown SHUT_WR", reason))
    }

    fn named(&self, call: &str, reason: io::Error) -> io::Error {
        CallError::wrap(format!("{call} fd {}", self.as_fd().as_raw_fd()), reason)
    }

    /// Returns the address of the other side, if it has one.
    pub(crate) fn peer_addr(&self) -> Option<SocketAddr> {
        match self {
            StreamSocket::Tcp(stream) => stream.peer_addr().ok(),
            StreamSocket::Unix(_) => None,
        }
    }

    /// Returns the address of this side, if it has one.
    pub(crate) fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            StreamSocket::Tcp(stream) => stream.local_addr().ok(),
            StreamSocket::Unix(_) => None,
        }
    }
}

impl AsFd for StreamSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            StreamSocket::Tcp(stream) => stream.as_fd(),
            StreamSocket::Unix(stream) => stream.as_fd(),
        }
    }
}

impl From<TcpStream> for StreamSocket {
    fn from(stream: TcpStream) -> Self {
        StreamSocket::Tcp(stream)
    }
}

impl From<UnixStream> for StreamSocket {
    fn from(stream: UnixStream) -> Self {
        StreamSocket::Unix(stream)
    }
}
