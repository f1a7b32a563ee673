//! The writing side of a stream, which also closes the connection.
//!
//! `drain` slows down a writer that's faster than its peer: once more than the high-water mark is
//! unsent, a call waits until no more than the low-water mark is unsent. In asyncio, that's the
//! work of `FlowControlMixin`.

use std::net::SocketAddr;
use std::rc::Rc;
use std::{fmt, io};

use step06_tasks::{Result, yield_now};

use super::stream_connection::StreamConnection;
use crate::net::{local_addr, peer_addr};

/// Sends bytes and closes the connection; asyncio's `StreamWriter`.
///
/// Dropping a writer closes the connection once all bytes are sent, and then the connection's
/// reader reaches the end. asyncio's writer does the same when it's garbage-collected, with a
/// warning.
pub struct StreamWriter {
    connection: Rc<StreamConnection>,
}

impl StreamWriter {
    pub(super) fn new(connection: Rc<StreamConnection>) -> Self {
        StreamWriter { connection }
    }

    /// Sends as much as the kernel has room for and keeps the rest, which is sent while other tasks
    /// run. Never waits, so call [`drain`](StreamWriter::drain) after each write, or unsent bytes
    /// can pile up.
    ///
    /// Even if the kernel refuses the bytes, the call doesn't fail. Instead, the connection is
    /// lost, and [`wait_closed`](StreamWriter::wait_closed) and the reader return the error. A
    /// `drain` that begins after the loss returns the error, too, but a `drain` that begins right
    /// after this call fails with `ConnectionReset`, as in asyncio.
    ///
    /// # Errors
    ///
    /// Fails only after [`write_eof`](StreamWriter::write_eof).
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        self.connection.write(bytes)
    }

    /// Sends all of `lines`, in order, as one [`write`](StreamWriter::write).
    ///
    /// # Errors
    ///
    /// Fails as [`write`](StreamWriter::write) does.
    pub fn writelines<B: AsRef<[u8]>>(&self, lines: impl IntoIterator<Item = B>) -> Result<()> {
        self.connection.write_all_of(lines)
    }

    /// Waits while writing is paused: from the write that leaves more than the high-water mark
    /// unsent until no more than the low-water mark is unsent. If writing isn't paused, returns at
    /// once, without a turn for other tasks, unless the connection is closing.
    ///
    /// # Errors
    ///
    /// Fails with the error that ended the connection before the call or while writing was paused.
    /// Fails with `ConnectionReset` if the connection was lost without an error before the call, or
    /// if a closing connection is lost, even with an error, during the turn that this call gives
    /// other tasks. Fails with `Cancelled` if the task is cancelled while it waits.
    ///
    /// # Examples
    ///
    /// ```
    /// use asyncio::{open_connection, run, start_server};
    /// let received = run(async {
    ///     let send_a_lot = |_reader, writer: asyncio::StreamWriter| async move {
    ///         for _ in 0..100 {
    ///             writer.write(&[b'!'; 100_000])?;
    ///             writer.drain().await?;
    ///         }
    ///         Ok(())
    ///     };
    ///     let server = start_server(send_a_lot, "127.0.0.1:0").await?;
    ///     let (mut reader, _writer) = open_connection(server.local_addrs()?[0]).await?;
    ///     Ok(reader.read_to_end().await?.len())
    /// })?;
    /// assert_eq!(received, 10_000_000);
    /// # Ok::<(), asyncio::LoopError>(())
    /// ```
    pub async fn drain(&self) -> Result<()> {
        self.connection.drain().await
    }

    /// Returns true: every stream's socket can shut down one direction and keep the other open.
    /// asyncio's TLS transports can't.
    pub fn can_write_eof(&self) -> bool {
        true
    }

    /// Sends the end of the stream once all bytes are sent and keeps the other direction open. A
    /// later `write` fails. Does nothing if the connection is closing.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the kernel refuses the call, for example because the other side
    /// has reset the connection.
    pub fn write_eof(&self) -> Result<()> {
        self.connection.write_eof()
    }

    /// Closes the connection once all bytes are sent. Closing a socket with unread bytes would
    /// reset the connection, so this call first receives the bytes that the loop has noticed, at
    /// most until the reader has more than twice its limit to read, and none that arrive later.
    pub fn close(&self) {
        self.connection.close();
    }

    /// Closes the connection and drops the unsent bytes.
    pub fn abort(&self) {
        self.connection.abort();
    }

    /// Returns true once the connection is closed, is closing, was aborted, or has failed.
    pub fn is_closing(&self) -> bool {
        self.connection.is_closing()
    }

    /// Waits until the connection is closed.
    ///
    /// # Errors
    ///
    /// Fails with the connection's error, and with `Cancelled` if the task is cancelled.
    pub async fn wait_closed(&self) -> Result<()> {
        self.connection.wait_closed().await
    }

    /// Returns the number of unsent bytes.
    pub fn get_write_buffer_size(&self) -> usize {
        self.connection.unsent()
    }

    /// Returns the low-water mark and the high-water mark: 16 KiB and 64 KiB by default.
    pub fn get_write_buffer_limits(&self) -> (usize, usize) {
        self.connection.water_marks()
    }

    /// Sets the high-water mark and the low-water mark.
    ///
    /// # Errors
    ///
    /// Fails if the low-water mark is above the high-water mark.
    pub fn set_write_buffer_limits(&self, high: usize, low: usize) -> Result<()> {
        self.connection.set_water_marks(low, high)
    }

    /// Returns the other side's IP address. asyncio asks the kernel once and keeps the answer for
    /// `get_extra_info('peername')`. This method asks the kernel each time, and the kernel forgets
    /// the address if the other side resets the connection, so ask early if you need the address
    /// for a log.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the connection is closed or was reset, and with `Unsupported`
    /// if the other side has no IP address.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.connection.ask("getpeername", |socket| peer_addr(socket))
    }

    /// Returns this side's IP address; `get_extra_info('sockname')` in asyncio.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the connection is closed, and with `Unsupported` if this side
    /// has no IP address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.connection.ask("getsockname", |socket| local_addr(socket))
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        self.connection.close();
    }
}

impl fmt::Debug for StreamWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter")
            .field("unsent", &self.get_write_buffer_size())
            .field("is_closing", &self.is_closing())
            .finish_non_exhaustive()
    }
}

impl StreamConnection {
    // ANCHOR: drain
    /// Waits while writing is paused and fails if the connection is lost. All of these are cases
    /// of `writers_that_drain`:
    ///
    /// - If writing isn't paused, the call returns at once, without a turn for other tasks.
    /// - If writing is paused, a single wait for room is enough, however much other tasks have
    ///   written by the time the wait is over. If the connection is lost meanwhile, the wait ends,
    ///   and the call fails if there was an error. A task that was cancelled before can also wait,
    ///   in its clean-up.
    /// - If the connection was lost with an error, fails with that error at once.
    /// - If the connection is closing, or was lost without an error, other callbacks run first, for
    ///   one turn. If the connection is lost after that turn, fails with an `io::Error` of the kind
    ///   `ConnectionReset`, "Connection lost", whatever has ended the connection. asyncio does the
    ///   same.
    pub(super) async fn drain(self: &Rc<Self>) -> Result<()> {
        if let Some(error) = self.error() {
            return Err(error);
        }
        if self.is_closing() {
            yield_now().await?;
        }
        if self.is_lost() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost").into());
        }
        if self.writing_is_paused() {
            self.upper.waiting.for_room(&self.event_loop).await?;
        }
        Ok(())
    }
    // ANCHOR_END: drain
}
