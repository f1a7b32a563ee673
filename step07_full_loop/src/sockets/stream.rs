//! A connection whose reads and writes can be awaited, whatever the family of its socket.
//!
//! The socket is registered once, for both directions, and the loop notes when a direction becomes
//! ready. While the note is set, tasks make their calls without waiting. A call that would block
//! clears the note, as do a short read that has emptied the kernel's buffer and a `try_send` that
//! finds too little room. The next wait then lasts until the kernel's next event.
//!
//! A task that answers its client from a shared buffer can't keep a piece of that buffer while it
//! waits. So it moves the unsent bytes into an outbox and then waits for room.
//!
//! The functions [`recv`] and [`send`] call `recv(2)` and `send(2)`, which do for a socket what
//! `read(2)` and `write(2)` do for any descriptor, with the same outcomes as in step 01. But `read`
//! and `write` first go through the kernel's file layer, which a socket doesn't need and which
//! took a twentieth of the server's time in an echo of 64 bytes. asyncio's transports call
//! `sock.recv` and `sock.send`, too. Connections that own no buffer, such as those of the crate
//! `asyncio`, receive into the loop's [`Scratch`].

use std::cell::Cell;
use std::fmt;
use std::io;
use std::net::Shutdown;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown as Directions};
use step01_fd::{CallError, Outbox, Read, Written, set_nonblocking};
use step06_tasks::Result;

use super::{expect_stream, is_unix};
use crate::{AsyncFd, EventLoop};

/// A connection without buffers of its own, unlike asyncio's `StreamReader` and `StreamWriter`.
///
/// A stream belongs to the loop on which it was made. Dropping the stream closes the connection.
/// `S` is the socket's type: see [`TcpStream`](crate::TcpStream) and
/// [`UnixStream`](crate::UnixStream).
pub struct Stream<S: AsFd> {
    pub(super) socket: AsyncFd<S>,
}

impl<S: AsFd> Stream<S> {
    /// Registers an existing connection with the loop running in this thread and makes the socket
    /// non-blocking.
    ///
    /// # Errors
    ///
    /// Fails if the socket isn't a stream, if no loop is running in this thread, or if the kernel
    /// refuses to register the socket.
    pub fn from_std(socket: S) -> Result<Self> {
        expect_stream(&socket)?;
        let is_unix = is_unix(&socket)?;
        let stream = Stream::of_stream_socket(socket)?;
        Ok(if is_unix { stream.of_unix() } else { stream })
    }

    /// Does what `from_std` does, but without asking the kernel for the socket's type and family,
    /// which the caller knows. For a Unix socket, the caller also calls `of_unix`.
    pub(super) fn of_stream_socket(socket: S) -> Result<Self> {
        set_nonblocking(&socket, true)?;
        Stream::from_nonblocking(socket)
    }

    /// Registers a connection that's already non-blocking.
    pub(super) fn from_nonblocking(socket: S) -> Result<Self> {
        Ok(Stream { socket: AsyncFd::new(socket)? })
    }

    /// Notes that the socket is a Unix socket, on which a read can come back short although more
    /// bytes have arrived.
    pub(super) fn of_unix(self) -> Self {
        self.socket.expect_short_reads();
        self
    }

    /// Returns the loop with which the socket is registered.
    pub fn event_loop(&self) -> &EventLoop {
        self.socket.event_loop()
    }

    /// Waits until there may be something to read: bytes, the end of the stream, or an error.
    ///
    /// A task that waits here and then calls `try_read` with the loop's
    /// [`scratch`](EventLoop::scratch) buffer owns no buffer while it waits.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub fn readable(&self) -> impl Future<Output = Result<()>> {
        self.socket.readable()
    }

    /// Waits until there may be room to write, after a `try_write` or a `try_send` that has found
    /// too little room.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub fn writable(&self) -> impl Future<Output = Result<()>> {
        self.socket.writable()
    }

    /// Reads the bytes that have arrived, as many as fit into `buffer`, without waiting.
    ///
    /// # Errors
    ///
    /// Fails as [`recv`] does.
    pub fn try_read(&self, buffer: &mut [u8]) -> Result<Read> {
        let outcome = recv(&self.socket, buffer)?;
        match outcome {
            // Fewer bytes than there was room for: usually the kernel has no more, and this saves a
            // call that would only return `WouldBlock`. `note_short_read` names the exceptions.
            Read::Bytes(count) if count < buffer.len() => self.socket.note_short_read(),
            Read::WouldBlock => self.socket.clear_readable(),
            Read::Bytes(_) | Read::End => {}
        }
        Ok(outcome)
    }

    /// Reads into `buffer` and returns the number of bytes: at least one, or 0 at the end of the
    /// stream or if `buffer` is empty.
    ///
    /// # Errors
    ///
    /// Fails as [`try_read`](Stream::try_read) does, and with `Cancelled` if the task is cancelled.
    pub async fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            self.readable().await?;
            match self.try_read(buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => {}
            }
        }
    }

    /// Writes as many bytes as there's room for now and returns their number, which can be 0.
    ///
    /// # Errors
    ///
    /// Fails as [`send`] does.
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize> {
        match send(&self.socket, bytes)? {
            Written::Bytes(count) => Ok(count),
            Written::WouldBlock => {
                self.socket.clear_writable();
                Ok(0)
            }
        }
    }

    /// Writes all of `bytes`, straight from the caller's memory, and waits whenever there's no
    /// room. If there's room for all bytes, a single call to `send(2)` is enough. Other tasks run
    /// now and then, even if the other side reads so fast that there's always room.
    ///
    /// # Errors
    ///
    /// Fails as [`send`] does, and with `Cancelled` if the task is cancelled.
    pub async fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            self.socket.writable().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Returns the registered socket, for calls that a `Stream` doesn't offer.
    pub fn into_async_fd(self) -> AsyncFd<S> {
        self.socket
    }

    /// Shuts down one direction or both. After `Shutdown::Write`, the other side reads the end of
    /// the stream.
    ///
    /// # Errors
    ///
    /// Fails as `shutdown(2)` does, for example with `NotConnected` (`ENOTCONN`) if a TCP
    /// connection is lost.
    pub fn shutdown(&self, how: Shutdown) -> Result<()> {
        let (how, name) = match how {
            Shutdown::Read => (Directions::Read, "SHUT_RD"),
            Shutdown::Write => (Directions::Write, "SHUT_WR"),
            Shutdown::Both => (Directions::Both, "SHUT_RDWR"),
        };
        let call = || format!("shutdown {name} fd {}", self.as_fd().as_raw_fd());
        let done = rustix::net::shutdown(&self.socket, how);
        Ok(done.map_err(|error| CallError::wrap(call(), error.into()))?)
    }
}

impl<S: AsFd> AsFd for Stream<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl<S: AsFd + fmt::Debug> fmt::Debug for Stream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(self.socket.get_ref()).finish()
    }
}

impl<S: AsFd> Stream<S> {
    /// Sends `bytes` after the unsent bytes in `outbox`, which keeps the bytes that find no room
    /// now. Returns true if everything is sent; otherwise [`flush`](Stream::flush) sends the rest.
    ///
    /// # Errors
    ///
    /// Fails as [`send_or_keep`] does.
    pub fn try_send(&self, outbox: &mut Outbox, bytes: &[u8]) -> Result<bool> {
        let is_sent = send_or_keep(&self.socket, outbox, bytes)?;
        if !is_sent {
            // The kernel took less than it was offered, so it has no room and will report when it
            // has room again.
            self.socket.clear_writable();
        }
        Ok(is_sent)
    }

    /// Sends the unsent bytes in `outbox` and waits whenever there's no room.
    ///
    /// # Errors
    ///
    /// Fails as [`write_all`](Stream::write_all) does. Unsent bytes stay in `outbox`.
    pub async fn flush(&self, outbox: &mut Outbox) -> Result<()> {
        while !outbox.is_empty() {
            self.socket.writable().await?;
            if !outbox.flush(&self.socket)? {
                self.socket.clear_writable();
            }
        }
        Ok(())
    }
}

/// Receives the bytes that have arrived, as many as fit into `buffer`, from a non-blocking socket.
/// Does the same as step 01's [`read`](step01_fd::read), through `recv(2)`.
///
/// # Errors
///
/// Fails with the kernel's error, such as `ConnectionReset`; the error names the call.
pub fn recv(socket: impl AsFd, buffer: &mut [u8]) -> io::Result<Read> {
    let has_room = !buffer.is_empty();
    loop {
        match rustix::net::recv(&socket, &mut *buffer, RecvFlags::empty()) {
            Ok((0, _)) if has_room => return Ok(Read::End),
            Ok((count, _)) => return Ok(Read::Bytes(count)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(Read::WouldBlock),
            Err(error) => {
                let call = format!("recv fd {}", socket.as_fd().as_raw_fd());
                return Err(CallError::wrap(call, error.into()));
            }
        }
    }
}

/// Sends as much of `bytes` as a non-blocking socket takes now. Does the same as step 01's
/// [`write`](step01_fd::write()), through `send(2)`. The call passes `MSG_NOSIGNAL`, so the
/// kernel sends no SIGPIPE, whatever the signal's disposition.
///
/// # Errors
///
/// Fails with `BrokenPipe` (`EPIPE`) if the socket can send no more, and with `ConnectionReset` if
/// the other side has reset the connection. Every error of the kernel names the call.
pub fn send(socket: impl AsFd, bytes: &[u8]) -> io::Result<Written> {
    loop {
        match rustix::net::send(&socket, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => return Ok(Written::Bytes(count)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(Written::WouldBlock),
            Err(error) => {
                let call = format!("send fd {}", socket.as_fd().as_raw_fd());
                return Err(CallError::wrap(call, error.into()));
            }
        }
    }
}

/// Sends the unsent bytes in `outbox`, then `bytes`, and keeps the bytes that the socket doesn't
/// take; step 01's [`Outbox::send`], for a socket. Returns true if everything is sent.
///
/// If the outbox is empty and the socket takes all bytes, one call to `send(2)` is enough, and the
/// outbox copies nothing. If the outbox has unsent bytes, `bytes` are appended to them, and all are
/// [flushed](Outbox::flush) with `write(2)`.
///
/// # Errors
///
/// Fails as [`send`] does. After an error, the outbox keeps `bytes` only if it had unsent bytes.
pub fn send_or_keep(socket: impl AsFd, outbox: &mut Outbox, bytes: &[u8]) -> io::Result<bool> {
    if !outbox.is_empty() {
        return outbox.send(socket, bytes);
    }
    let taken = match send(socket, bytes)? {
        Written::Bytes(count) => count,
        Written::WouldBlock => 0,
    };
    outbox.push(&bytes[taken..]);
    Ok(outbox.is_empty())
}

/// The size of the scratch buffer, which limits the size of a read; asyncio's `max_size`.
const SCRATCH_SIZE: usize = 256 * 1024;

/// Holds a loop's scratch buffer while no read uses it. The first read makes a buffer of zeros; the
/// kernel provides memory only for the pages that reads fill.
///
/// An idle connection that uses this buffer owns none. A loop's connections read one after another,
/// so all of them can read into the loop's buffer and keep only the bytes that they need. A read
/// borrows the buffer until its bytes have been used.
#[derive(Default)]
pub(crate) struct ScratchBuffer(Cell<Vec<u8>>);

/// Bytes of the scratch buffer, lent by [`EventLoop::scratch`] and returned when this value is
/// dropped.
///
/// If a read begins in the middle of another read, the second read gets a buffer of its own. The
/// loop frees that buffer once the first read gives the loop's own buffer back. For example, a
/// protocol that's called with the first read's bytes can close a stream, which causes a second
/// read.
pub struct Scratch<'a> {
    buffer: Vec<u8>,
    length: usize,
    home: &'a ScratchBuffer,
}

impl EventLoop {
    /// Lends `length` bytes of the loop's scratch buffer, 256 KiB at most, for a single read.
    ///
    /// The lent bytes aren't cleared: they can still be those of previous reads.
    pub fn scratch(&self, length: usize) -> Scratch<'_> {
        let home = &self.core.scratch;
        let mut buffer = home.0.take();
        if buffer.is_empty() {
            buffer = vec![0; SCRATCH_SIZE];
        }
        Scratch { buffer, length: length.min(SCRATCH_SIZE), home }
    }
}

impl Deref for Scratch<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

impl DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.length]
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.home.0.set(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_in_the_middle_of_another_has_a_buffer_of_its_own() {
        let event_loop = EventLoop::new().unwrap();
        let mut outer = event_loop.scratch(usize::MAX);
        outer[0] = 1;
        let mut inner = event_loop.scratch(64 * 1024);
        inner[0] = 2;
        assert_eq!((outer.len(), inner.len()), (256 * 1024, 64 * 1024));
        drop(inner);
        assert_eq!(outer[0], 1);
        drop(outer);
        assert_eq!(
            event_loop.scratch(1)[0],
            1,
            "the outer one's is kept, since it comes back last"
        );
    }
}
