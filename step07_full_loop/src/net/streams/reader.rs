//! The reading side of a stream.
//!
//! asyncio's loop reads as soon as something arrives, and feeds the reader. Here the reader reads
//! when it's asked, and then all that has arrived, so that it sees what asyncio's would see; but a
//! peer that sends what nobody asks for fills the kernel's buffer, and none of ours.

use std::fmt;
use std::rc::Rc;

use step01_fd::Read;
use step06_tasks::{Error, Result};

use super::buffer::Buffer;
use super::connection::Connection;
use super::errors::IncompleteReadError;

/// Receives bytes, lines or messages; asyncio's `StreamReader`.
///
/// Its functions take `&mut self`, so that two tasks can't wait for the same bytes. (asyncio raises a
/// `RuntimeError`.) One that's cancelled, or that fails for another reason than the end, leaves in
/// the stream what has arrived. An error of the connection is the error of each call from then on.
pub struct StreamReader {
    pub(super) connection: Rc<Connection>,
    pub(super) buffer: Buffer,
}

impl StreamReader {
    pub(super) fn new(connection: Rc<Connection>) -> Self {
        StreamReader { connection, buffer: Buffer::default() }
    }

    pub(super) fn limit(&self) -> usize {
        self.connection.limit.get()
    }

    /// Returns true if nothing more will be received.
    pub(super) fn has_ended(&self) -> bool {
        self.connection.has_ended.get()
    }

    /// Sets how many bytes can be in front of a separator; also, `readline` and its like receive
    /// nothing while twice as much is there. It's 64 KiB at first. Fails for zero. (asyncio takes it
    /// as an argument of `open_connection`.)
    pub fn set_limit(&mut self, limit: usize) -> Result<()> {
        self.connection.limit.set(checked(limit)?);
        Ok(())
    }

    /// Reads up to `count` bytes: one at least, or none at the end of the stream. Waits only if
    /// nothing has arrived.
    pub async fn read(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.buffer.is_empty() && !self.has_ended() {
            self.wait_for_data().await?;
        }
        Ok(self.take(count))
    }

    /// Reads until the end of the stream; asyncio's `read(-1)`.
    pub async fn read_to_end(&mut self) -> Result<Vec<u8>> {
        self.begin()?;
        while !self.has_ended() {
            self.wait_for_data().await?;
        }
        Ok(self.take(usize::MAX))
    }

    /// Reads exactly `count` bytes, however large the limit is; asyncio's `readexactly`. Fails with
    /// an [`IncompleteReadError`] if the stream ends before.
    pub async fn read_exactly(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        while self.buffer.len() < count {
            if self.has_ended() {
                let partial = self.buffer.take_all();
                return Err(Error::other(IncompleteReadError { partial, expected: Some(count) }));
            }
            self.wait_for_data().await?;
        }
        Ok(self.take(count))
    }

    /// Returns true if the end has arrived, and all before it was read.
    pub fn at_eof(&mut self) -> bool {
        if self.buffer.is_empty() {
            self.receive_what_is_there();
        }
        self.has_ended() && self.buffer.is_empty()
    }

    /// Returns the error with which the connection was lost.
    pub fn exception(&self) -> Option<Error> {
        self.connection.error()
    }

    /// Begins a call: looks for an error, and for what has arrived since the last call.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.check_error()?;
        if !self.buffer.is_empty() {
            self.receive_what_is_there();
        }
        Ok(())
    }

    /// Waits until more has arrived, or the end.
    pub(super) async fn wait_for_data(&mut self) -> Result<()> {
        // A call that needs more than the limit would wait forever.
        self.connection.is_full.set(false);
        let had = self.buffer.len();
        while !self.has_ended() && self.buffer.len() == had {
            self.connection.readable().await?;
            self.check_error()?;
            self.receive();
        }
        Ok(())
    }

    fn receive_what_is_there(&mut self) {
        if !self.has_ended() && !self.connection.is_full.get() && self.connection.has_news() {
            self.receive();
        }
    }

    fn receive(&mut self) {
        let received = self.connection.receive(&mut self.buffer);
        self.connection.has_ended.set(received == Read::End);
        self.connection.is_full.set(self.buffer.len() > 2 * self.limit());
    }

    /// Takes up to `count` bytes out of the buffer.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.buffer.take(count);
        if self.buffer.len() <= self.limit() {
            self.connection.is_full.set(false);
        }
        taken
    }

    fn check_error(&self) -> Result<()> {
        self.exception().map_or(Ok(()), Err)
    }
}

/// Refuses a limit of zero, in asyncio's words.
pub(super) fn checked(limit: usize) -> Result<usize> {
    if limit == 0 {
        return Err(Error::other("Limit cannot be <= 0"));
    }
    Ok(limit)
}

impl fmt::Debug for StreamReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader")
            .field("buffered", &self.buffer.len())
            .field("has_ended", &self.has_ended())
            .field("limit", &self.limit())
            .finish_non_exhaustive()
    }
}
