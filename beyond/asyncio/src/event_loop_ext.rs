//! Methods of asyncio's loops that this library adds to the loop: they make connections and
//! servers, look up names, and operate on your own sockets.
//!
//! A crate can't add inherent methods to another crate's type, so these methods come from a trait,
//! which a program has to import: `use asyncio::EventLoopExt`.
//!
//! `sock_recv` and the other `sock_` methods take any non-blocking socket and register it only
//! while they wait, as asyncio's methods do: each call tries the operation at once and adds a
//! reader or a writer only if the operation would block. A call that has to wait costs more than a
//! stream's call, because it registers and unregisters the socket, but it needs no stream. The
//! methods refuse to wait for a socket that belongs to a stream. After 64 calls in a row that
//! didn't have to wait, the next call lets the other tasks run first, as with a stream; only
//! `sock_connect` isn't counted. asyncio's methods give the other tasks no turn, so a peer that
//! never stops sending can keep one task running forever.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::rc::{Rc, Weak};

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::Errno;
use rustix::net::{SocketFlags, acceptfrom_with, sockopt};
use step01_fd::{CallError, Read, Written};
use step06_tasks::{Future, ReadyQueue, Result, yield_now};

use crate::net::{Address, Server, ServerOptions, connect_tcp, getaddrinfo};
use crate::transports::{Protocol, StreamSocket, Transport};
use crate::{ClosesWithTheLoop, EventLoop, Interest, expect_stream, recv, send};

/// The methods of asyncio's loops that this library adds to [`EventLoop`], the only type for which
/// the library implements this trait. Like the loop's own methods, these methods panic if they hand
/// work to a closed loop.
#[allow(async_fn_in_trait, reason = "a loop stays on its thread, and so does what it returns")]
pub trait EventLoopExt {
    /// Returns the loop itself.
    fn event_loop(&self) -> &EventLoop;

    /// Connects to an address and makes a transport and a protocol; asyncio's `create_connection`.
    /// Returns both once `connection_made` has been called.
    ///
    /// A name is looked up first, in a thread of the loop's pool, and each of its addresses is
    /// tried in turn until an attempt succeeds. If you cancel or drop the call before it returns,
    /// it leaves no connection behind. To use another kind of socket, such as a Unix socket,
    /// connect it yourself and pass it to
    /// [`connect_accepted_socket`](EventLoopExt::connect_accepted_socket).
    ///
    /// # Errors
    ///
    /// Fails as [`open_connection`](crate::open_connection) does. Also fails if the socket's
    /// options can't be set, and with `Cancelled` if the task is cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// use asyncio::{EventLoopExt as _, Protocol, Result, Transport, get_running_loop, run};
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
    /// # Ok::<(), asyncio::LoopError>(())
    /// ```
    async fn create_connection<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        address: impl Into<Address>,
    ) -> Result<(Transport, Rc<P>)> {
        let socket = connect_tcp(address).await?.into_async_fd().into_inner();
        Transport::begin_on(self.event_loop(), factory, socket.into()).await
    }

    /// Makes a protocol and a transport for a connected socket, such as a socket that other code
    /// has accepted or one end of a socket pair; asyncio's `connect_accepted_socket`. Returns both
    /// once `connection_made` has been called.
    ///
    /// # Errors
    ///
    /// Fails if the socket isn't a stream socket or its options can't be set, and with `Cancelled`
    /// if the task is cancelled. If the kernel refuses to register the socket, `connection_lost`
    /// gets the error instead.
    async fn connect_accepted_socket<P: Protocol + 'static>(
        &self,
        factory: impl FnOnce() -> P,
        socket: impl Into<StreamSocket>,
    ) -> Result<(Transport, Rc<P>)> {
        let socket = socket.into();
        expect_stream(&socket)?;
        Transport::begin_on(self.event_loop(), factory, socket).await
    }

    /// Listens on all addresses of a host and makes a protocol for each connection; asyncio's
    /// `create_server`. Equivalent to [`ServerOptions::create_server`] with the default options.
    ///
    /// # Errors
    ///
    /// Fails as [`ServerOptions::create_server`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// use asyncio::{EventLoopExt as _, Protocol, get_running_loop, run};
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
    ///     // The accepted connection ends when the client closes its side.
    ///     client.close();
    ///     server.wait_closed().await
    /// })?;
    /// # Ok::<(), asyncio::LoopError>(())
    /// ```
    async fn create_server<P: Protocol + 'static>(
        &self,
        factory: impl Fn() -> P + 'static,
        address: impl Into<Address>,
    ) -> Result<Server> {
        ServerOptions::default().create_server(factory, address).await
    }

    /// Looks up the addresses of a host in a thread of the loop's pool; asyncio's `getaddrinfo`. No
    /// thread is needed if the host is an IP address.
    ///
    /// Cancelling this call doesn't stop a lookup that a thread has already begun.
    ///
    /// # Errors
    ///
    /// If the lookup fails, fails with an error that names the host. Also fails with `Cancelled` if
    /// the task is cancelled.
    async fn getaddrinfo(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>> {
        getaddrinfo(self.event_loop(), host, port).await
    }

    /// Receives up to `count` bytes, or none at the end of the stream; asyncio's `sock_recv`. A
    /// call receives at most 256 KiB, the size of the loop's own buffer.
    ///
    /// If several tasks wait for the same direction of a socket, only the one that began last is
    /// woken, because [`add_reader`](EventLoop::add_reader) and `add_writer` replace the previous
    /// callback.
    ///
    /// # Errors
    ///
    /// Fails with the kernel's error, with `InvalidInput` if the call would have to wait for a
    /// socket that belongs to a stream, and with `Cancelled` if the task is cancelled. In debug
    /// mode, also fails with `InvalidInput` if the socket is blocking. Without debug mode, a call
    /// that has to wait for a blocking socket blocks the whole loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use asyncio::{EventLoopExt as _, get_running_loop, run};
    /// let received = run(async {
    ///     let (ours, mut theirs) = UnixStream::pair()?;
    ///     ours.set_nonblocking(true)?;
    ///     theirs.write_all(b"hello")?;
    ///     get_running_loop()?.sock_recv(&ours, 16).await
    /// })?;
    /// assert_eq!(received, b"hello");
    /// # Ok::<(), asyncio::LoopError>(())
    /// ```
    async fn sock_recv(&self, socket: impl AsFd, count: usize) -> Result<Vec<u8>> {
        let socket = nonblocking(self.event_loop(), &socket)?;
        take_turn(self.event_loop()).await?;
        loop {
            // `count` can be any number, so no buffer of that size is allocated.
            let mut scratch = self.event_loop().scratch(count);
            match recv(socket, &mut scratch)? {
                Read::Bytes(count) => return Ok(scratch[..count].to_vec()),
                Read::End => return Ok(Vec::new()),
                Read::WouldBlock => {}
            }
            drop(scratch);
            until_ready(self.event_loop(), socket, Interest::READABLE).await?;
        }
    }

    /// Receives into `buffer` and returns the number of bytes received, which is 0 at the end of
    /// the stream or if `buffer` is empty; asyncio's `sock_recv_into`.
    ///
    /// # Errors
    ///
    /// Fails as [`sock_recv`](EventLoopExt::sock_recv) does.
    async fn sock_recv_into(&self, socket: impl AsFd, buffer: &mut [u8]) -> Result<usize> {
        let socket = nonblocking(self.event_loop(), &socket)?;
        take_turn(self.event_loop()).await?;
        loop {
            match recv(socket, buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => {
                    until_ready(self.event_loop(), socket, Interest::READABLE).await?;
                }
            }
        }
    }

    /// Sends all of `bytes` and waits whenever the kernel has no room; asyncio's `sock_sendall`.
    /// After an error or a cancellation, you can't tell how much was sent.
    ///
    /// # Errors
    ///
    /// Fails as [`sock_recv`](EventLoopExt::sock_recv) does.
    async fn sock_sendall(&self, socket: impl AsFd, mut bytes: &[u8]) -> Result<()> {
        let socket = nonblocking(self.event_loop(), &socket)?;
        take_turn(self.event_loop()).await?;
        loop {
            if let Written::Bytes(count) = send(socket, bytes)? {
                bytes = &bytes[count..];
            }
            if bytes.is_empty() {
                return Ok(());
            }
            until_ready(self.event_loop(), socket, Interest::WRITABLE).await?;
        }
    }

    /// Connects a socket and waits until it's connected; asyncio's `sock_connect`. If you have a
    /// host name, look the name up first with [`getaddrinfo`](EventLoopExt::getaddrinfo).
    ///
    /// # Errors
    ///
    /// Fails as [`sock_recv`](EventLoopExt::sock_recv) does. If the kernel can't make the
    /// connection, the error names the address.
    async fn sock_connect(&self, socket: impl AsFd, address: SocketAddr) -> Result<()> {
        let socket = nonblocking(self.event_loop(), &socket)?;
        let named = |error: Errno| {
            let fd = socket.as_raw_fd();
            CallError::wrap(format!("connect fd {fd} to {address}"), error.into())
        };
        match rustix::net::connect(socket, &address) {
            Ok(()) => return Ok(()),
            // The kernel also keeps connecting after a signal has interrupted the call.
            Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(named(error).into()),
        }
        until_ready(self.event_loop(), socket, Interest::WRITABLE).await?;
        sockopt::socket_error(socket).and_then(|verdict| verdict).map_err(named)?;
        Ok(())
    }

    /// Accepts a connection and returns its non-blocking socket with the other side's IP address
    /// and port; asyncio's `sock_accept`. For a Unix socket, the address is `None`, because the
    /// other side has no IP address.
    ///
    /// # Errors
    ///
    /// Fails as [`sock_recv`](EventLoopExt::sock_recv) does.
    async fn sock_accept(&self, listener: impl AsFd) -> Result<(OwnedFd, Option<SocketAddr>)> {
        let listener = nonblocking(self.event_loop(), &listener)?;
        take_turn(self.event_loop()).await?;
        loop {
            match acceptfrom_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok((socket, address)) => {
                    return Ok((socket, address.and_then(|any| any.try_into().ok())));
                }
                Err(Errno::AGAIN) => {
                    until_ready(self.event_loop(), listener, Interest::READABLE).await?;
                }
                Err(Errno::INTR) => {}
                Err(error) => {
                    let call = format!("accept fd {}", listener.as_raw_fd());
                    return Err(CallError::wrap(call, error.into()).into());
                }
            }
        }
    }
}

impl EventLoopExt for EventLoop {
    fn event_loop(&self) -> &EventLoop {
        self
    }
}

/// Returns the socket's descriptor. In debug mode, refuses a blocking socket with asyncio's error
/// message.
fn nonblocking<'a>(event_loop: &EventLoop, socket: &'a impl AsFd) -> Result<BorrowedFd<'a>> {
    let socket = socket.as_fd();
    if event_loop.get_debug() {
        let call = format!("fcntl F_GETFL fd {}", socket.as_raw_fd());
        let flags = fcntl_getfl(socket).map_err(|error| CallError::wrap(&*call, error.into()))?;
        if !flags.contains(OFlags::NONBLOCK) {
            let why = "the socket must be non-blocking";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
        }
    }
    Ok(socket)
}

/// The maximum number of calls in a row without a wait before other tasks get a turn, as with an
/// [`AsyncFd`](crate::AsyncFd). It's high enough that the turns cost next to nothing and low enough
/// that other tasks aren't delayed for long.
const TURNS_IN_A_ROW: u32 = 64;

/// The number of calls in a row that didn't have to wait.
#[derive(Default)]
struct Turns(Cell<u32>);

impl ClosesWithTheLoop for Turns {
    fn close(&self, _: &ReadyQueue) {}
}

/// Counts a call. After [`TURNS_IN_A_ROW`] calls without a wait, lets the other tasks run first.
async fn take_turn(event_loop: &EventLoop) -> Result<()> {
    let turns = event_loop.attached::<Turns>();
    turns.0.set(turns.0.get() + 1);
    if turns.0.get() > TURNS_IN_A_ROW {
        turns.0.set(0);
        yield_now().await?;
    }
    Ok(())
}

/// Waits until a socket is readable or writable, depending on `direction`.
async fn until_ready(
    event_loop: &EventLoop,
    socket: BorrowedFd<'_>,
    direction: Interest,
) -> Result<()> {
    event_loop.attached::<Turns>().0.set(0);
    let is_ready = event_loop.create_future();
    let future = Rc::new(is_ready.clone());
    let is_watched = Rc::downgrade(&future);
    // While the socket is ready, the loop runs this callback once per tick until it's removed. Only
    // the first run matters.
    let callback = move || drop(future.set_result(()));
    if direction == Interest::READABLE {
        event_loop.add_reader(socket, callback)?;
    } else {
        event_loop.add_writer(socket, callback)?;
    }
    let _watch = WatchedSocket { event_loop, socket, direction, is_watched };
    is_ready.await
}

/// A guard that removes a wait's callback when the wait is over or given up, unless the callback
/// has been replaced.
struct WatchedSocket<'a> {
    event_loop: &'a EventLoop,
    socket: BorrowedFd<'a>,
    direction: Interest,
    /// A reference that can't be upgraded once the callback has been replaced or removed.
    is_watched: Weak<Future<()>>,
}

impl Drop for WatchedSocket<'_> {
    fn drop(&mut self) {
        if self.is_watched.strong_count() > 0 {
            // The callback was added, so the kernel won't refuse its removal.
            let _ = if self.direction == Interest::READABLE {
                self.event_loop.remove_reader(self.socket)
            } else {
                self.event_loop.remove_writer(self.socket)
            };
        }
    }
}
