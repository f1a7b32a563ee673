//! Calls on sockets that belong to the caller: `sock_recv` and its like.
//!
//! They take any non-blocking socket and leave it unregistered, as asyncio's do: each call tries at
//! once, and only if it would block does it add a reader or a writer, until the call is over. So they
//! cost more than a stream, and need no stream. A socket of a stream is refused.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::Errno;
use rustix::net::{SocketFlags, acceptfrom_with, sockopt};
use step01_fd::{CallError, Read, Written};
use step06_tasks::{Handle, Result};

use super::recv_send::{recv, send};
use crate::event_loop::{Direction, EventLoop};

impl EventLoop {
    /// Receives up to `count` bytes, and none at the end; asyncio's `sock_recv`.
    ///
    /// In debug mode, it fails if the socket isn't non-blocking. In other modes such a socket blocks
    /// the loop. Only one task can wait for a direction of a socket: the last one, as with
    /// [`add_reader`](EventLoop::add_reader).
    ///
    /// ```
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use step07_full_loop::{get_running_loop, run};
    /// let received = run(async {
    ///     let (ours, mut theirs) = UnixStream::pair()?;
    ///     ours.set_nonblocking(true)?;
    ///     theirs.write_all(b"hello")?;
    ///     get_running_loop()?.sock_recv(&ours, 16).await
    /// })?;
    /// assert_eq!(received, b"hello");
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub async fn sock_recv(&self, socket: impl AsFd, count: usize) -> Result<Vec<u8>> {
        let mut buffer = vec![0; count];
        let received = self.sock_recv_into(socket, &mut buffer).await?;
        buffer.truncate(received);
        Ok(buffer)
    }

    /// Receives into `buffer`, and returns the number of bytes: 0 at the end; asyncio's
    /// `sock_recv_into`.
    pub async fn sock_recv_into(&self, socket: impl AsFd, buffer: &mut [u8]) -> Result<usize> {
        let socket = self.nonblocking(&socket)?;
        loop {
            match recv(socket, buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => self.until_ready(socket, Direction::Read).await?,
            }
        }
    }

    /// Sends all of `bytes`, and waits whenever there's no room; asyncio's `sock_sendall`. If it
    /// fails or is cancelled, nothing says how much was sent.
    pub async fn sock_sendall(&self, socket: impl AsFd, mut bytes: &[u8]) -> Result<()> {
        let socket = self.nonblocking(&socket)?;
        loop {
            if let Written::Bytes(count) = send(socket, bytes)? {
                bytes = &bytes[count..];
            }
            if bytes.is_empty() {
                return Ok(());
            }
            self.until_ready(socket, Direction::Write).await?;
        }
    }

    /// Connects a socket, and waits until it's connected; asyncio's `sock_connect`. Look a name up
    /// before, with [`getaddrinfo`](EventLoop::getaddrinfo).
    pub async fn sock_connect(&self, socket: impl AsFd, address: SocketAddr) -> Result<()> {
        let socket = self.nonblocking(&socket)?;
        let named = |error: Errno| {
            let fd = socket.as_raw_fd();
            CallError::wrap(format!("connect fd {fd} to {address}"), error.into())
        };
        match rustix::net::connect(socket, &address) {
            Ok(()) => return Ok(()),
            // The kernel goes on after a signal, too.
            Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(named(error).into()),
        }
        self.until_ready(socket, Direction::Write).await?;
        sockopt::socket_error(socket).and_then(|verdict| verdict).map_err(named)?;
        Ok(())
    }

    /// Accepts a connection, and returns it, non-blocking, with the address of the other side, if it
    /// has one (a Unix socket has a path at most); asyncio's `sock_accept`.
    pub async fn sock_accept(&self, listener: impl AsFd) -> Result<(OwnedFd, Option<SocketAddr>)> {
        let listener = self.nonblocking(&listener)?;
        loop {
            match acceptfrom_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok((socket, address)) => {
                    return Ok((socket, address.and_then(|any| any.try_into().ok())));
                }
                Err(Errno::AGAIN) => self.until_ready(listener, Direction::Read).await?,
                Err(Errno::INTR) => {}
                Err(error) => {
                    let call = format!("accept fd {}", listener.as_raw_fd());
                    return Err(CallError::wrap(call, error.into()).into());
                }
            }
        }
    }

    /// Refuses a blocking socket in debug mode, in asyncio's words.
    fn nonblocking<'a>(&self, socket: &'a impl AsFd) -> Result<BorrowedFd<'a>> {
        let socket = socket.as_fd();
        if self.get_debug() {
            let flags = fcntl_getfl(socket).map_err(io::Error::from)?;
            if !flags.contains(OFlags::NONBLOCK) {
                let why = "the socket must be non-blocking";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
            }
        }
        Ok(socket)
    }

    /// Waits until a socket is ready in one direction.
    async fn until_ready(&self, socket: BorrowedFd<'_>, direction: Direction) -> Result<()> {
        let is_ready = self.create_future();
        let future = is_ready.clone();
        // It's called once per tick until it's removed, and the first call is enough.
        let handle = Handle::repeating(move || drop(future.set_result(())));
        self.set_callback(socket, direction, handle.clone())?;
        let _watch = Watch { event_loop: self, socket, direction, handle };
        is_ready.await
    }
}

/// A callback that's removed when the wait is over or given up, unless another one has replaced it.
struct Watch<'a> {
    event_loop: &'a EventLoop,
    socket: BorrowedFd<'a>,
    direction: Direction,
    handle: Handle,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.handle.cancelled() {
            // It was added, so the kernel has nothing against its removal.
            let _ = self.event_loop.clear_callback(self.socket, self.direction);
        }
    }
}
