//! Listeners: accepting connections and handling the errors of accept(2).

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use step01_fd::{CallError, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::{Error, ExceptionContext, Result};

use super::stream::Stream;
use super::{expect_stream, named};
use crate::{AsyncFd, EventLoop, TcpStream, sleep};

/// A registered listener.
pub(super) struct Listening<L: AsFd> {
    socket: AsyncFd<L>,
}

impl<L: AsFd> Listening<L> {
    /// Registers a listener with the loop running in this thread. The listener has to be a stream
    /// socket, so that its connections are streams.
    pub(super) fn new(socket: L) -> Result<Self> {
        expect_stream(&socket)?;
        set_nonblocking(&socket, true)?;
        Ok(Listening { socket: AsyncFd::with_interest(socket, Interest::READABLE)? })
    }

    pub(super) fn socket(&self) -> &L {
        self.socket.get_ref()
    }

    /// Waits for a connection that can be set up; see [`TcpListener::accept`](crate::TcpListener).
    pub(super) async fn accept<S: AsFd, A>(
        &self,
        accept: impl Fn(&L) -> io::Result<(S, A)>,
    ) -> Result<(Stream<S>, A)> {
        loop {
            // Only a call that would block is repeated here. Any other error is handled below.
            let accepted = self.socket.read_io(|listener| match accept(listener) {
                Err(error) if AcceptFailure::of(&error) == AcceptFailure::NothingThere => {
                    Err(error)
                }
                outcome => Ok(outcome),
            });
            match accepted.await? {
                Ok((socket, address)) => match Stream::of_stream_socket(socket) {
                    Err(error @ Error::Io(_)) => {
                        report(self.event_loop(), "a connection couldn't be set up", error);
                    }
                    made => return Ok((made?, address)),
                },
                Err(error) => self.get_over(AcceptFailure::of(&error), error).await?,
            }
        }
    }

    /// Handles a failed attempt to accept. Fails with the attempt's error if every further attempt
    /// would fail, too, and with `Cancelled` if the task is cancelled during the pause.
    async fn get_over(&self, failure: AcceptFailure, error: io::Error) -> Result<()> {
        let error =
            CallError::wrap(format!("accept fd {}", self.socket.as_fd().as_raw_fd()), error);
        match failure {
            AcceptFailure::NothingThere | AcceptFailure::PeerLeft => {}
            AcceptFailure::OneConnection => {
                report(self.event_loop(), "socket.accept() failed", error);
            }
            AcceptFailure::OutOfResources => {
                report(self.event_loop(), "socket.accept() out of system resource", error);
                sleep(AcceptFailure::RETRY_DELAY).await?;
            }
            AcceptFailure::Lasting => return Err(error.into()),
        }
        Ok(())
    }

    fn event_loop(&self) -> &EventLoop {
        self.socket.event_loop()
    }
}

/// Passes an error to the exception handler, since `accept` tries again instead of returning it.
fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}

/// The reason why accept(2) has failed, which decides whether and when to call it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptFailure {
    /// No client is waiting: the kernel will report the next client.
    NothingThere,
    /// The connection was aborted before it was accepted, or a signal interrupted the call. The
    /// next attempt, now or in the next tick, can succeed.
    PeerLeft,
    /// This connection is lost. The next attempt, now or in the next tick, can succeed.
    OneConnection,
    /// No descriptor or no memory is left; the connection stays in the queue.
    OutOfResources,
    /// Every attempt will fail, for example because the socket isn't a listener or was shut down.
    Lasting,
}

impl AcceptFailure {
    /// The pause in accepting when no descriptor or no memory is left; asyncio's
    /// `ACCEPT_RETRY_DELAY`.
    pub const RETRY_DELAY: Duration = Duration::from_secs(1);

    /// Classifies an error of accept(2).
    pub fn of(error: &io::Error) -> AcceptFailure {
        match error.raw_os_error() {
            Some(libc::EAGAIN) => AcceptFailure::NothingThere,
            Some(libc::ECONNABORTED | libc::EINTR) => AcceptFailure::PeerLeft,
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::ENOSPC) => {
                AcceptFailure::OutOfResources
            }
            Some(libc::EBADF | libc::EFAULT | libc::EINVAL | libc::ENOTSOCK) => {
                AcceptFailure::Lasting
            }
            // A firewall forbids this connection, or a network error was already pending on the new
            // socket: see accept(2), "Error handling". There's no full list of the network's
            // errors, so an unknown error is taken for one of them, as in asyncio.
            _ => AcceptFailure::OneConnection,
        }
    }
}

/// A socket that listens for TCP connections. Dropping the listener closes the socket.
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
    /// Listens on an address and registers the socket with the loop running in this thread. With
    /// port 0, the kernel chooses the port.
    ///
    /// Given several addresses, picks the first address on which it can listen. A name is looked up
    /// inside this call, which blocks the loop.
    ///
    /// # Errors
    ///
    /// Fails if a name can't be looked up, with `InvalidInput` if there's no address, and as
    /// [`from_std`](TcpListener::from_std) does. If no address can be used, fails with the last
    /// attempt's error, which names the address.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self> {
        let mut refused = io::Error::new(io::ErrorKind::InvalidInput, "bind: there's no address");
        let found = address.to_socket_addrs();
        for address in found.map_err(|error| CallError::wrap("bind: look up the address", error))? {
            match std::net::TcpListener::bind(address) {
                Ok(listener) => return TcpListener::from_std(listener),
                Err(error) => refused = CallError::wrap(format!("bind to {address}"), error),
            }
        }
        Err(refused.into())
    }

    /// Registers an existing listener with the loop running in this thread and makes the listener
    /// non-blocking.
    ///
    /// # Errors
    ///
    /// Fails if the socket isn't a stream, if no loop is running in this thread, or if the kernel
    /// refuses to register the socket.
    pub fn from_std(listener: std::net::TcpListener) -> Result<Self> {
        Ok(TcpListener { listening: Listening::new(listener)? })
    }

    /// Sets the number of complete connections that may wait to be accepted; see `listen(2)`. Linux
    /// lets one more wait. The default is 128 (100 in asyncio). The kernel silently lowers a number
    /// above the system's limit.
    ///
    /// # Errors
    ///
    /// Fails as `listen(2)` does, with an error that names the number.
    pub fn set_backlog(&self, connections: i32) -> io::Result<()> {
        let set = rustix::net::listen(self, connections);
        set.map_err(|error| CallError::wrap(format!("listen, backlog {connections}"), error.into()))
    }

    /// Returns the address on which the socket listens.
    ///
    /// # Errors
    ///
    /// Fails as `getsockname(2)` does, for example if the kernel has no memory left (`ENOBUFS`).
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listening.socket().local_addr().map_err(named("getsockname", self))
    }

    /// Waits for a connection and returns it with the address of the other side.
    ///
    /// If a connection has already failed or can't be registered, the exception handler gets the
    /// error, and `accept` goes on to the next connection. A connection that was aborted in the
    /// queue (`ECONNABORTED`) is skipped silently. When no descriptor or no memory is left,
    /// `accept` also reports the error and pauses for a second, as asyncio does: the connection
    /// stays in the queue, so without a pause the loop would spin.
    ///
    /// # Errors
    ///
    /// Fails if every attempt would fail, for example because the listener was shut down, and with
    /// `Cancelled` if the task is cancelled.
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
