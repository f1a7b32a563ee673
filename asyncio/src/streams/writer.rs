//! The writing side of a stream, which also closes it.
//!
//! A write is tried at once. What the kernel doesn't take is kept, and a task of the connection sends
//! it while others run; an idle connection has none. A writer that's faster than its peer is held by
//! `drain`: above the high-water mark it waits, until what's unsent has shrunk to the low one.
//! (asyncio: `_SelectorSocketTransport.write`, `FlowControlMixin`)

use std::cell::Cell;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::{fmt, io};

use rustix::net::{Shutdown, SocketAddrAny, getpeername, getsockname};
use step06_tasks::{Error, Result, yield_now};

use super::connection::Connection;
use crate::send_or_keep;

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

/// The most that can be unsent before `drain` waits; asyncio's default.
const HIGH_WATER: usize = 64 * 1024;

/// The flow control of a connection.
pub(super) struct Flow {
    /// The low-water mark, and the high one.
    limits: Cell<(usize, usize)>,
    is_paused: Cell<bool>,
    /// A task is sending.
    is_flushing: Cell<bool>,
    has_ended: Cell<bool>,
}

impl Default for Flow {
    fn default() -> Self {
        Flow {
            limits: Cell::new((HIGH_WATER / 4, HIGH_WATER)),
            is_paused: Cell::default(),
            is_flushing: Cell::default(),
            has_ended: Cell::default(),
        }
    }
}

impl Flow {
    pub(super) fn limits(&self) -> (usize, usize) {
        self.limits.get()
    }

    fn pause_if_above(&self, unsent: usize) {
        if unsent > self.limits.get().1 {
            self.is_paused.set(true);
        }
    }

    /// Returns true if those who wait can go on.
    fn update(&self, unsent: usize) -> bool {
        self.pause_if_above(unsent);
        unsent <= self.limits.get().0 && self.is_paused.replace(false)
    }
}

impl Connection {
    /// Sends `bytes` after what's unsent, as far as there's room now, and keeps the rest. Once the
    /// connection fails or is closed, they're dropped.
    pub(super) fn write(self: &Rc<Self>, bytes: &[u8]) -> Result<()> {
        self.check_has_not_ended("write")?;
        if bytes.is_empty() || self.will_be_lost() {
            return Ok(());
        }
        if !self.outbox.borrow().is_empty() {
            self.outbox.borrow_mut().push(bytes);
            self.flush_later();
            return Ok(());
        }
        match self.send_now(bytes) {
            Ok(true) => {}
            Ok(false) => self.flush_later(),
            Err(error) => self.fail(error),
        }
        Ok(())
    }

    /// Sends all of these together.
    pub(super) fn write_all_of<B: AsRef<[u8]>>(
        self: &Rc<Self>,
        pieces: impl IntoIterator<Item = B>,
    ) -> Result<()> {
        self.check_has_not_ended("writelines")?;
        let mut pieces = pieces.into_iter();
        let Some(first) = pieces.next() else { return Ok(()) };
        let joined = pieces.fold(first.as_ref().to_vec(), |mut joined, piece| {
            joined.extend_from_slice(piece.as_ref());
            joined
        });
        self.write(&joined)
    }

    /// Ends this side of the connection once all is sent.
    pub(super) fn write_eof(&self) -> Result<()> {
        if self.is_closing() || self.flow.has_ended.replace(true) {
            return Ok(());
        }
        if self.outbox.borrow().is_empty() {
            self.shut_down()?;
        }
        Ok(())
    }

    fn shut_down(&self) -> io::Result<()> {
        let call = |socket: &OwnedFd| rustix::net::shutdown(socket, Shutdown::Write);
        self.with_socket("shutdown SHUT_WR", call)
    }

    fn check_has_not_ended(&self, function: &str) -> Result<()> {
        if self.flow.has_ended.get() {
            return Err(Error::other(format!("Cannot call {function}() after write_eof()")));
        }
        Ok(())
    }

    // ANCHOR: drain
    /// Waits until little enough is unsent.
    ///
    /// While the connection is open, that's decided by the water marks: once more than the high one
    /// was unsent, writing is paused, until no more than the low one is. If it isn't paused, this is
    /// over at once, without a turn for other tasks. If it is, this waits for
    /// [room](super::waiting::Waiting::for_room), in a single wait: it's over when writing goes on,
    /// however much another task has written by then.
    ///
    /// If the connection has been lost with an error, fails with it at once. Otherwise, if it's closing
    /// or lost, the task first gives up its turn, [once](yield_now), so that the callback which loses
    /// the connection can run, and a task that writes and drains in a loop hears of it. If it's lost by
    /// then, fails with `ConnectionReset`, "Connection lost", even if an error ended it in that turn, as
    /// in asyncio. If it's lost while this waits for room, the wait ends, with the error if there was
    /// one.
    pub(super) async fn drain(&self) -> Result<()> {
        if let Some(error) = self.error() {
            return Err(error);
        }
        if self.is_closing() {
            yield_now().await?;
        }
        if self.is_lost() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost").into());
        }
        if self.flow.is_paused.get() {
            self.waiting.for_room(&self.event_loop).await?;
        }
        Ok(())
    }
    // ANCHOR_END: drain

    /// Sets the marks. Writers that wait go on when something is sent, as in asyncio.
    pub(super) fn set_limits(&self, low: usize, high: usize) {
        self.flow.limits.set((low, high));
        self.flow.pause_if_above(self.outbox.borrow().len());
    }

    /// Holds the writers, or lets them go on, as the water marks have it.
    fn control_flow(&self) {
        if self.flow.update(self.outbox.borrow().len()) {
            self.waiting.release_writers();
        }
    }

    /// Makes sure that a task sends what's unsent.
    fn flush_later(self: &Rc<Self>) {
        self.control_flow();
        if !self.flow.is_flushing.replace(true) {
            // A guard, because the task can be cancelled before it has begun.
            let flushing = Flushing(Rc::clone(self));
            let task = self.event_loop.create_task(async move { flushing.flush().await });
            // A loop that's closed in the meantime doesn't send it, and that's nothing to report.
            task.any().expect_to_be_destroyed();
        }
    }

    /// Sends `bytes` after what's unsent, as far as there's room. Returns true if all is sent.
    fn send_now(&self, bytes: &[u8]) -> Result<bool> {
        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return Ok(true) };
        let is_sent = send_or_keep(socket, &mut self.outbox.borrow_mut(), bytes)?;
        if !is_sent {
            // The kernel took less than it was offered, so it has no room, and will report when it
            // has.
            socket.clear_writable();
        }
        Ok(is_sent)
    }
}

/// The task that sends what's unsent.
struct Flushing(Rc<Connection>);

impl Flushing {
    async fn flush(&self) -> Result<()> {
        let connection = &self.0;
        while !connection.outbox.borrow().is_empty() {
            connection.writable().await?;
            if connection.is_lost() {
                return Ok(());
            }
            if let Err(error) = connection.send_now(&[]) {
                connection.fail(error);
                return Ok(());
            }
            connection.control_flow();
        }
        self.all_is_sent();
        Ok(())
    }

    fn all_is_sent(&self) {
        let connection = &self.0;
        // Its memory isn't needed any more.
        connection.outbox.take();
        if connection.will_be_lost() {
            return;
        }
        if connection.is_closing() {
            connection.lose(None);
        } else if connection.flow.has_ended.get()
            && let Err(error) = connection.shut_down()
        {
            connection.fail(error.into());
        }
    }
}

impl Drop for Flushing {
    /// `run` cancels this task together with all others. But one of them can be waiting in its clean-up
    /// for the last bytes to be sent, so another task goes on; nothing waits for that one.
    fn drop(&mut self) {
        let connection = &self.0;
        connection.flow.is_flushing.set(false);
        let is_over = connection.will_be_lost() || connection.event_loop.is_closed();
        if !is_over && !connection.outbox.borrow().is_empty() {
            connection.flush_later();
        }
    }
}
