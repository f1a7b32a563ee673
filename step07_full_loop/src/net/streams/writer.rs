//! The writing side of a stream, which also closes it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use rustix::net::{SocketAddrAny, getpeername, getsockname};
use step06_tasks::{Error, Result};

use super::connection::Connection;

/// Sends bytes, and closes the connection; asyncio's `StreamWriter`.
///
/// Dropping it closes the connection, once all is sent. Then its reader finds the end, too. (asyncio
/// does the same since 3.12, and warns.)
pub struct StreamWriter {
    connection: Rc<Connection>,
}

impl StreamWriter {
    pub(super) fn new(connection: Rc<Connection>) -> Self {
        StreamWriter { connection }
    }

    /// Sends as much as there's room for now, and keeps the rest, which is sent while other tasks
    /// run. It never waits, so it should be followed by [`drain`](StreamWriter::drain).
    ///
    /// What the kernel has against it is no error of this call: the connection is lost with it, as
    /// `drain`, [`wait_closed`](StreamWriter::wait_closed) and the reader say. Fails only after
    /// [`write_eof`](StreamWriter::write_eof).
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        self.connection.write(bytes)
    }

    /// Sends all of these together; it's a [`write`](StreamWriter::write) of all their bytes.
    pub fn writelines<B: AsRef<[u8]>>(&self, lines: impl IntoIterator<Item = B>) -> Result<()> {
        self.connection.write_all_of(lines)
    }

    /// Waits until little enough is unsent. Unless more than the high-water mark was unsent, that's at
    /// once, and other tasks don't have their turn; if it was, it's as soon as no more than the
    /// low-water mark is left.
    ///
    /// ```
    /// use step07_full_loop::{open_connection, run, start_server};
    /// let received = run(async {
    ///     let send_a_lot = |_reader, writer: step07_full_loop::StreamWriter| async move {
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
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    ///
    /// Fails with the error with which the connection was lost, or with `ConnectionReset` if it was
    /// closed.
    pub async fn drain(&self) -> Result<()> {
        self.connection.drain().await
    }

    /// Returns true: every socket of a stream can end one side. (TLS can't, in asyncio.)
    pub fn can_write_eof(&self) -> bool {
        true
    }

    /// Sends the end once all is sent, and keeps the other direction open. A later `write` is an
    /// error.
    pub fn write_eof(&self) -> Result<()> {
        self.connection.write_eof()
    }

    /// Receives what has arrived, and nothing more after that. Closes the connection once all is sent.
    pub fn close(&self) {
        self.connection.close();
    }

    /// Closes the connection, and drops what's unsent.
    pub fn abort(&self) {
        self.connection.abort();
    }

    /// Returns true once the connection is closed, is about to be, or has failed.
    pub fn is_closing(&self) -> bool {
        self.connection.is_closing()
    }

    /// Waits until the connection is closed. Fails with the error with which it was lost.
    pub async fn wait_closed(&self) -> Result<()> {
        self.connection.wait_closed().await
    }

    /// Returns how much is unsent.
    pub fn get_write_buffer_size(&self) -> usize {
        self.connection.outbox.borrow().len()
    }

    /// Returns the low-water mark and the high-water mark: 16 KiB and 64 KiB, if none were set.
    pub fn get_write_buffer_limits(&self) -> (usize, usize) {
        self.connection.flow.limits()
    }

    /// Sets the high-water mark and the low-water mark. Fails if the low one is higher.
    pub fn set_write_buffer_limits(&self, high: usize, low: usize) -> Result<()> {
        if low > high {
            return Err(Error::other(format!("high ({high}) must be >= low ({low}) must be >= 0")));
        }
        self.connection.set_limits(low, high);
        Ok(())
    }

    /// Returns the address of the other side, if the connection is open and has one;
    /// `get_extra_info('peername')` in asyncio, which asks once. This asks the kernel, and that has
    /// forgotten the address if the other side has reset the connection: ask early, if it's for a log.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        internet(self.connection.with_socket("getpeername", |socket| getpeername(socket))?)
    }

    /// Returns the address of this side, if the connection is open and has one;
    /// `get_extra_info('sockname')` in asyncio.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        internet(
            self.connection.with_socket("getsockname", |socket| getsockname(socket)).map(Some)?,
        )
    }
}

/// Refuses the address of a Unix socket.
fn internet(address: Option<SocketAddrAny>) -> io::Result<SocketAddr> {
    let internet = address.and_then(|any| any.try_into().ok());
    internet.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "it has no IP address"))
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
