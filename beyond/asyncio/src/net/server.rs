//! The program's interface to a server: the server's options, its sockets, and the methods that
//! start and end it.

use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::rc::Rc;
use std::{fmt, fs, io};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, getsockname, sockopt};
use step01_fd::{CallError, errno};
use step06_tasks::{Error, Future, Result, yield_now};

use super::address::Address;
use super::clients::OpenConnection;
use super::serving::{Serves, Serving};
use crate::{EventLoop, get_running_loop};

/// A handle to a server, which listens and serves each connection with streams or a protocol;
/// asyncio's `Server`. A clone is another handle to the same server.
///
/// Dropping the handles doesn't stop the server: it runs until you call [`close`](Server::close),
/// a task is cancelled in [`serve_forever`](Server::serve_forever), or the loop is closed. Before
/// `run` returns, it cancels the connections' tasks and ends the server and its connections.
#[derive(Clone)]
pub struct Server {
    serving: Rc<Serving>,
}

impl Server {
    pub(super) fn new(serving: Rc<Serving>) -> Self {
        Server { serving }
    }

    /// Begins to listen and to accept, unless the server is already doing so. You need this method
    /// only if [`ServerOptions::start_serving`](crate::ServerOptions) is false.
    ///
    /// # Errors
    ///
    /// Fails if the server is closed, and with `Cancelled` if the task is cancelled. If the kernel
    /// refuses to let a socket listen or to register it, closes the server and fails.
    pub async fn start_serving(&self) -> Result<()> {
        self.check_is_open()?;
        self.serving.start()?;
        // asyncio lets the other tasks have a turn here, too.
        yield_now().await
    }

    /// Serves until the server is closed or the task is cancelled. If the task is cancelled, this
    /// call closes the server. In both cases, the call fails with `Cancelled`, but only once the
    /// last connection has ended.
    ///
    /// # Errors
    ///
    /// Fails as [`start_serving`](Server::start_serving) does, and if another task is already
    /// waiting in `serve_forever`.
    pub async fn serve_forever(&self) -> Result<()> {
        if self.serving.forever.borrow().is_some() {
            let why = "server is already being awaited on serve_forever()";
            return Err(Error::other(format!("{self:?}: {why}")));
        }
        self.check_is_open()?;
        self.serving.start()?;
        let forever: Future<()> = self.serving.event_loop.create_future();
        self.serving.forever.replace(Some(forever.clone()));
        let awaited = ServingForever { serving: &self.serving };
        let ended = forever.await;
        drop(awaited);
        if ended.as_ref().is_err_and(Error::is_cancelled) {
            self.close();
            self.wait_closed().await?;
        }
        ended
    }

    /// Stops listening and ends [`serve_forever`](Server::serve_forever). Open connections
    /// continue, and a connection that has just been accepted still begins, whereas asyncio drops
    /// it. Closing a server twice is fine.
    pub fn close(&self) {
        if self.serving.close()
            && let Some(forever) = self.serving.forever.take()
        {
            forever.cancel();
        }
    }

    /// Closes the connections that the server has accepted, each as soon as all its bytes are sent;
    /// asyncio's `close_clients`, new in 3.13. Close the server first, or it may accept more
    /// connections.
    pub fn close_clients(&self) {
        self.serving.open_connections().into_iter().for_each(OpenConnection::close);
    }

    /// Closes the connections that the server has accepted and drops the unsent bytes; asyncio's
    /// `abort_clients`, new in 3.13.
    pub fn abort_clients(&self) {
        self.serving.open_connections().into_iter().for_each(OpenConnection::abort);
    }

    /// Waits until both the server and its last connection are closed, like asyncio's `wait_closed`
    /// since 3.12.1. Earlier versions could return before both were closed.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub async fn wait_closed(&self) -> Result<()> {
        self.serving.clients.wait_until_done(&self.serving.event_loop).await
    }

    /// Returns true from the moment the server begins to accept until it's closed, even while
    /// accepting pauses.
    pub fn is_serving(&self) -> bool {
        self.serving.accepts.get()
    }

    /// Returns the server's sockets, or none once the server is closed. As long as you keep a
    /// socket, its address stays in use.
    pub fn sockets(&self) -> Vec<Rc<OwnedFd>> {
        self.serving.sockets.borrow().clone().unwrap_or_default()
    }

    /// Returns the IP addresses and ports on which the server listens, or none once the server is
    /// closed. A Unix socket has no IP address and is left out.
    ///
    /// # Errors
    ///
    /// Fails if `getsockname(2)` fails, with an error that names the socket.
    pub fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        let mut addresses = Vec::new();
        for socket in self.sockets() {
            let call = || format!("getsockname fd {}", socket.as_raw_fd());
            let address = getsockname(&socket);
            let address = address.map_err(|error| CallError::wrap(call(), error.into()))?;
            addresses.extend(SocketAddr::try_from(address).ok());
        }
        Ok(addresses)
    }

    fn check_is_open(&self) -> Result<()> {
        let is_closed = self.serving.sockets.borrow().is_none();
        if is_closed {
            return Err(Error::other(format!("{self:?}: server is closed")));
        }
        Ok(())
    }
}

/// A guard that drops the future of `serve_forever` when the wait ends, for whatever reason.
struct ServingForever<'a> {
    serving: &'a Serving,
}

impl Drop for ServingForever<'_> {
    fn drop(&mut self) {
        drop(self.serving.forever.take());
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sockets = self.serving.sockets.borrow();
        f.debug_struct("Server").field("sockets", &sockets).finish_non_exhaustive()
    }
}

/// The options of a server besides its address.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The argument of `listen(2)`: the number of connections that the kernel queues for each of
    /// the server's sockets. Linux queues one more and lowers a number above `somaxconn`. In one
    /// go, the server accepts at most this many from a socket, or one if the number is below one,
    /// and never more than 1,000. The default is 100, as in asyncio.
    pub backlog: i32,
    /// The limit of each [`StreamReader`](crate::StreamReader), by default 64 KiB, as in asyncio.
    /// Protocols have no limit.
    pub limit: usize,
    /// If true, which is the default, the server accepts connections from the start. Otherwise it
    /// accepts none until you call [`Server::start_serving`] or [`Server::serve_forever`].
    pub start_serving: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { backlog: 100, limit: crate::streams::DEFAULT_LIMIT, start_serving: true }
    }
}

impl ServerOptions {
    /// Makes a server for everything that `address` stands for.
    pub(crate) async fn listen(&self, address: Address, serves: Box<dyn Serves>) -> Result<Server> {
        let event_loop = get_running_loop()?;
        let sockets = bind_all(address.resolve_to_listen().await?)?;
        self.begin(event_loop, sockets, serves).await
    }

    /// Makes a server for a Unix socket at a path.
    pub(crate) async fn listen_at_path(
        &self,
        path: &Path,
        serves: Box<dyn Serves>,
    ) -> Result<Server> {
        // Get the loop first, so that a call without a loop leaves the path's file alone.
        let event_loop = get_running_loop()?;
        self.begin(event_loop, vec![bind_to_path(path)?], serves).await
    }

    async fn begin(
        &self,
        event_loop: EventLoop,
        sockets: Vec<OwnedFd>,
        serves: Box<dyn Serves>,
    ) -> Result<Server> {
        let serving = Serving::new(event_loop, sockets, self.backlog, serves);
        if self.start_serving {
            serving.start()?;
            yield_now().await?;
        }
        Ok(Server::new(serving))
    }
}

/// Makes a socket for each address and binds the socket. Skips an address that this machine can't
/// have, such as an IPv6 address if IPv6 is off, as long as another address can be bound. asyncio
/// skips an address whenever the socket can't be made, for whatever reason, and since 3.13 also if
/// the address isn't available.
fn bind_all(addresses: Vec<SocketAddr>) -> io::Result<Vec<OwnedFd>> {
    let (mut sockets, mut left_out) = (Vec::new(), None);
    for address in addresses {
        match bind(address) {
            Ok(socket) => sockets.push(socket),
            Err(error) if is_impossible(&error) => left_out = Some(error),
            Err(error) => return Err(error),
        }
    }
    match left_out {
        Some(error) if sockets.is_empty() => Err(error),
        _ => Ok(sockets),
    }
}

fn is_impossible(error: &io::Error) -> bool {
    matches!(errno(error), Some(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL))
}

/// Makes a socket that's bound to the address but doesn't listen yet.
fn bind(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = new_socket(family)?;
    let bound = sockopt::set_socket_reuseaddr(&socket, true)
        // Without this option, an IPv6 socket would take the port of the IPv4 address, too.
        .and_then(
            |()| if address.is_ipv6() { sockopt::set_ipv6_v6only(&socket, true) } else { Ok(()) },
        )
        .and_then(|()| rustix::net::bind(&socket, &address));
    bound.map_err(|error| CallError::wrap(format!("bind to {address}"), error.into()))?;
    Ok(socket)
}

/// Makes a socket at a path. Replaces a socket that's already at the path, but not before all our
/// own checks have passed. After that, only the kernel can still refuse the new socket.
fn bind_to_path(path: &Path) -> Result<OwnedFd> {
    let named = |error: Errno| {
        CallError::wrap(format!("bind to {}", path.display()), io::Error::from(error))
    };
    // The kernel would treat an empty path as a name without a file, which has no permissions.
    let address =
        if path.as_os_str().is_empty() { Err(Errno::INVAL) } else { SocketAddrUnix::new(path) };
    let address = address.map_err(named)?;
    let socket = new_socket(AddressFamily::UNIX)?;
    if fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
        match fs::remove_file(path) {
            // Another program has removed the file in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed
                .map_err(|error| CallError::wrap(format!("unlink {}", path.display()), error))?,
        }
    }
    rustix::net::bind(&socket, &address).map_err(named)?;
    Ok(socket)
}

/// Makes a stream socket that's non-blocking and close-on-exec from the start.
fn new_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let made = rustix::net::socket_with(family, SocketType::STREAM, flags, None);
    made.map_err(|error| CallError::wrap("socket", error.into()))
}
