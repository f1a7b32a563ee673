//! TCP streams: connecting, addresses, and the choice whether small pieces are sent at once.

use std::io;
use std::net::{self, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, getpeername, sockopt};
use step01_fd::CallError;
use step03_selector::Interest;
use step06_tasks::Result;

use super::named;
use super::stream::Stream;
use crate::AsyncFd;

/// A TCP connection.
///
/// ```no_run
/// use step07_full_loop::{TcpStream, run};
/// run(async {
///     let stream = TcpStream::connect(([192, 0, 2, 1], 80).into()).await?;
///     stream.write_all(b"HEAD / HTTP/1.0\r\n\r\n").await?;
///     let mut answer = [0; 1024];
///     let count = stream.read(&mut answer).await?;
///     println!("{}", String::from_utf8_lossy(&answer[..count]));
///     Ok(())
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub type TcpStream = Stream<net::TcpStream>;

impl TcpStream {
    /// Connects to an address and waits until the kernel reports how the attempt ended; asyncio's
    /// `sock_connect`.
    ///
    /// If the other side doesn't answer, the kernel gives up after about two minutes by default
    /// (`tcp_syn_retries` in `tcp(7)`). A cancelled or dropped connect leaves no descriptor open.
    ///
    /// # Errors
    ///
    /// Fails with the kernel's error, which names the address, and with `Cancelled` if the task is
    /// cancelled. Also fails if no descriptor is left, or if no loop is running in this thread.
    pub async fn connect(address: SocketAddr) -> Result<TcpStream> {
        let named = |error: Errno| CallError::wrap(format!("connect to {address}"), error.into());
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = new_socket(family)?;
        match rustix::net::connect(&socket, &address) {
            // The kernel continues the attempt, even after a signal.
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(named(error).into()),
        }
        loop {
            until_writable(&socket).await?;
            let verdict = sockopt::socket_error(&socket).and_then(|verdict| verdict);
            verdict.map_err(named)?;
            match getpeername(&socket) {
                Ok(_) => return Stream::from_nonblocking(net::TcpStream::from(socket)),
                // An event doesn't prove that the socket is connected; see step 02.
                Err(Errno::NOTCONN) => {}
                Err(error) => return Err(named(error).into()),
            }
        }
    }

    /// Turns Nagle's algorithm off if `nodelay` is true, so that the kernel sends small pieces at
    /// once. Otherwise turns it on, and a small piece waits while earlier bytes are unacknowledged.
    /// See `TCP_NODELAY` in `tcp(7)`.
    ///
    /// # Errors
    ///
    /// Fails with the error of `setsockopt(2)`, which names the socket.
    pub fn set_nodelay(&self, nodelay: bool) -> Result<()> {
        let set = self.socket.get_ref().set_nodelay(nodelay);
        Ok(set.map_err(named("setsockopt TCP_NODELAY", self))?)
    }

    /// Returns the address of the other side.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the connection is lost.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket.get_ref().peer_addr().map_err(named("getpeername", self))
    }

    /// Returns the address of this side.
    ///
    /// # Errors
    ///
    /// Fails as [`TcpListener::local_addr`](crate::TcpListener::local_addr) does.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.get_ref().local_addr().map_err(named("getsockname", self))
    }
}

/// Waits until the kernel reports that an attempt to connect might be over.
async fn until_writable(socket: &OwnedFd) -> Result<()> {
    let connecting = AsyncFd::with_interest(socket, Interest::WRITABLE)?;
    connecting.clear_writable();
    connecting.writable().await
}

/// Makes a stream socket that is non-blocking and close-on-exec from the start.
pub(super) fn new_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let made = rustix::net::socket_with(family, SocketType::STREAM, flags, None);
    made.map_err(|error| CallError::wrap("socket", error.into()))
}
