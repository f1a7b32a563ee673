//! The reading side of a stream.

use std::fmt;
use std::rc::Rc;

use step06_tasks::{Error, Result};

use super::connection::Connection;
use super::errors::IncompleteReadError;

/// Receives bytes, lines or messages; asyncio's `StreamReader`.
///
/// Its functions take `&mut self`, so that two tasks can't wait for the same bytes. (asyncio raises a
/// `RuntimeError`.) One that's cancelled, or that fails for another reason than the end, leaves in
/// the stream what has arrived. An error of the connection is the error of each call from then on.
pub struct StreamReader {
    pub(super) connection: Rc<Connection>,
}

impl StreamReader {
    pub(super) fn new(connection: Rc<Connection>) -> Self {
        StreamReader { connection }
    }

    /// Sets how many bytes can be in front of a separator; also, nothing more is received while twice
    /// as much is waiting to be read. It's 64 KiB at first. Fails for zero. (asyncio takes it as an
    /// argument of `open_connection`.)
    pub fn set_limit(&mut self, limit: usize) -> Result<()> {
        self.connection.received.set_limit(checked(limit)?);
        Ok(())
    }

    /// Reads up to `count` bytes: one at least, or none at the end of the stream. Waits only if
    /// nothing has arrived.
    pub async fn read(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        let received = &self.connection.received;
        if count > 0 && received.len() == 0 && !received.has_ended() {
            self.connection.receive_more().await?;
        }
        Ok(received.take(count))
    }

    /// Reads until the end of the stream; asyncio's `read(-1)`.
    ///
    /// If it's cancelled, what it has read is still there. (asyncio loses it.)
    pub async fn read_to_end(&mut self) -> Result<Vec<u8>> {
        self.begin()?;
        while !self.connection.received.has_ended() {
            self.connection.receive_more().await?;
        }
        Ok(self.connection.received.take(usize::MAX))
    }

    /// Reads exactly `count` bytes, however large the limit is; asyncio's `readexactly`. Fails with
    /// an [`IncompleteReadError`] if the stream ends before.
    pub async fn read_exactly(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        let received = &self.connection.received;
        while received.len() < count {
            if received.has_ended() {
                let partial = received.take(usize::MAX);
                return Err(Error::other(IncompleteReadError { partial, expected: Some(count) }));
            }
            self.connection.receive_more().await?;
        }
        Ok(received.take(count))
    }

    /// Returns true if the end has arrived, and all before it was read.
    pub fn at_eof(&mut self) -> bool {
        let received = &self.connection.received;
        if received.len() == 0 {
            self.connection.receive_what_is_there();
        }
        received.has_ended() && received.len() == 0
    }

    /// Returns the error with which the connection was lost.
    pub fn exception(&self) -> Option<Error> {
        self.connection.error()
    }

    /// Begins a call: looks for an error, and for what has arrived since the last call. (If nothing
    /// is left from then, the call will wait, which is the same, and others have their turn.)
    pub(super) fn begin(&mut self) -> Result<()> {
        self.exception().map_or(Ok(()), Err)?;
        if self.connection.received.len() > 0 {
            self.connection.receive_what_is_there();
        }
        Ok(())
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
        let received = &self.connection.received;
        f.debug_struct("StreamReader")
            .field("buffered", &received.len())
            .field("has_ended", &received.has_ended())
            .field("limit", &received.limit())
            .finish_non_exhaustive()
    }
}
