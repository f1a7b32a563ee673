//! Unix sockets: streams between programs on one machine, with paths as addresses.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{self, SocketAddr};
use std::path::Path;

use rustix::net::{AddressFamily, SocketAddrUnix};
use step01_fd::CallError;
use step06_tasks::{Result, check_cancelled};

use super::listener::Listening;
use super::named;
use super::stream::Stream;
use super::tcp::new_socket;

/// A connection between two programs on one machine.
///
/// ```
/// use step07_full_loop::{UnixStream, run};
/// let said = run(async {
///     let (one, other) = UnixStream::pair()?;
///     one.write_all(b"hello").await?;
///     let mut buffer = [0; 16];
///     let count = other.read(&mut buffer).await?;
///     Ok(buffer[..count].to_vec())
/// })?;
/// assert_eq!(said, b"hello");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub type UnixStream = Stream<net::UnixStream>;

impl UnixStream {
    /// Makes a pair of connected streams, on the loop running in this thread.
    ///
    /// # Errors
    ///
    /// Fails if no descriptor is left, or if no loop is running in this thread.
    pub fn pair() -> Result<(UnixStream, UnixStream)> {
        let (one, other) = step01_fd::socketpair()?;
        let stream = |socket: OwnedFd| Stream::from_nonblocking(socket.into()).map(Stream::of_unix);
        Ok((stream(one)?, stream(other)?))
    }

    /// Connects to the listener at a path.
    ///
    /// The kernel answers at once. If the listener's queue is full, no event will report that
    /// there's room: try again later.
    ///
    /// # Errors
    ///
    /// Fails with an error that names the path, such as `WouldBlock` if the queue is full,
    /// `NotFound` if there's no file, or `ConnectionRefused` if no program listens. Fails with
    /// `Cancelled` if the task is cancelled. Also fails if no descriptor is left, or if no loop is
    /// running in this thread.
    pub async fn connect(path: impl AsRef<Path>) -> Result<UnixStream> {
        check_cancelled()?;
        Stream::from_nonblocking(connect_to_path(path.as_ref())?.into()).map(Stream::of_unix)
    }

    /// Returns the address of the other side. For a stream made by `connect`, that's the listener's
    /// path; an accepted stream usually gets an address without a path, because a client's socket
    /// is rarely bound.
    ///
    /// # Errors
    ///
    /// Fails with the error of `getpeername(2)`, which names the socket.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket.get_ref().peer_addr().map_err(named("getpeername", self))
    }

    /// Returns the address of this side.
    ///
    /// # Errors
    ///
    /// Fails with the error of `getsockname(2)`, which names the socket.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.get_ref().local_addr().map_err(named("getsockname", self))
    }
}

/// Connects a new socket to the listener at a path.
fn connect_to_path(path: &Path) -> io::Result<OwnedFd> {
    let named = |error: rustix::io::Errno| {
        CallError::wrap(format!("connect to {}", path.display()), error.into())
    };
    let address = address_of(path).map_err(named)?;
    let socket = new_socket(AddressFamily::UNIX)?;
    rustix::io::retry_on_intr(|| rustix::net::connect(&socket, &address)).map_err(named)?;
    Ok(socket)
}

/// Returns the address of a path. Refuses an empty path, which the kernel takes for an abstract
/// name, that is, a name that has no file and so no file permissions.
fn address_of(path: &Path) -> rustix::io::Result<SocketAddrUnix> {
    if path.as_os_str().is_empty() {
        return Err(rustix::io::Errno::INVAL);
    }
    SocketAddrUnix::new(path)
}

/// A socket that listens for connections at a path. Dropping the listener leaves the file at the
/// path, as asyncio did before 3.13: the program that made the file has to remove it.
pub struct UnixListener {
    listening: Listening<net::UnixListener>,
}

impl UnixListener {
    /// Listens at a path and registers the socket with the loop running in this thread.
    ///
    /// # Errors
    ///
    /// Fails with `AddrInUse` if a file exists at the path, and with the kernel's error, which
    /// names the path, if the path can't be used. Also fails if no loop is running in this thread.
    pub fn bind(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let named = |error| CallError::wrap(format!("bind to {}", path.display()), error);
        address_of(path).map_err(|error| named(error.into()))?;
        let bound = net::UnixListener::bind(path);
        UnixListener::from_std(bound.map_err(named)?).inspect_err(|_| {
            // Otherwise the file would be in the way of the next attempt.
            let _ = fs::remove_file(path);
        })
    }

    /// Registers an existing listener with the loop running in this thread and makes the listener
    /// non-blocking.
    ///
    /// # Errors
    ///
    /// Fails if the socket isn't a stream, if no loop is running in this thread, or if the kernel
    /// refuses to register the socket.
    pub fn from_std(listener: net::UnixListener) -> Result<Self> {
        Ok(UnixListener { listening: Listening::new(listener)? })
    }

    /// Returns the address on which the socket listens.
    ///
    /// # Errors
    ///
    /// Fails with the error of `getsockname(2)`, which names the socket.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listening.socket().local_addr().map_err(named("getsockname", self))
    }

    /// Waits for a connection, as [`TcpListener::accept`](crate::TcpListener::accept) does.
    ///
    /// # Errors
    ///
    /// Fails as [`TcpListener::accept`](crate::TcpListener::accept) does.
    pub async fn accept(&self) -> Result<(UnixStream, SocketAddr)> {
        let (stream, address) = self.listening.accept(net::UnixListener::accept).await?;
        Ok((stream.of_unix(), address))
    }
}

impl AsFd for UnixListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listening.socket().as_fd()
    }
}

impl std::fmt::Debug for UnixListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UnixListener").field(self.listening.socket()).finish()
    }
}
