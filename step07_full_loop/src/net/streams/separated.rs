//! Reading up to a separator: lines, and what else ends with a mark.

use std::result;

use step06_tasks::{Error, Result};

use super::errors::{IncompleteReadError, LimitOverrunError};
use super::reader::StreamReader;

/// Why a separator wasn't reached.
enum Stopped {
    /// The stream ended.
    Early(Vec<u8>),
    TooLong(LimitOverrunError),
    Failed(Error),
}

impl StreamReader {
    /// Reads up to `separator` and returns it, too, at the end; asyncio's `readuntil`.
    ///
    /// Fails with an [`IncompleteReadError`] if the stream ends before, and with a
    /// [`LimitOverrunError`] if what's in front of the separator is longer than the limit; then it
    /// stays in the stream, where `read` finds it.
    pub async fn read_until(&mut self, separator: &[u8]) -> Result<Vec<u8>> {
        Ok(self.until(separator).await?)
    }

    /// Reads a line, with its `\n`. At the end of the stream, that's what there is, and then nothing.
    ///
    /// Fails with a [`LimitOverrunError`] (asyncio: a `ValueError`) if the line is longer than the
    /// limit. It's dropped then, as far as it has arrived.
    ///
    /// ```
    /// use step07_full_loop::{open_connection, run, start_server};
    /// let lines = run(async {
    ///     let server = start_server(
    ///         |_reader, writer| async move { writer.write(b"one\ntwo") },
    ///         "127.0.0.1:0",
    ///     )
    ///     .await?;
    ///     let (mut reader, _writer) = open_connection(server.local_addrs()?[0]).await?;
    ///     Ok([reader.readline().await?, reader.readline().await?, reader.readline().await?])
    /// })?;
    /// assert_eq!(lines, [&b"one\n"[..], b"two", b""]);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub async fn readline(&mut self) -> Result<Vec<u8>> {
        match self.until(b"\n").await {
            Err(Stopped::Early(partial)) => Ok(partial),
            Err(Stopped::TooLong(overrun)) => {
                self.skip_line(overrun.consumed);
                Err(Error::other(overrun))
            }
            outcome => Ok(outcome?),
        }
    }

    /// Reads a line, or `None` at the end of the stream, for a `while let`; asyncio's `async for`.
    pub async fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let line = self.readline().await?;
        Ok(Some(line).filter(|line| !line.is_empty()))
    }

    async fn until(&mut self, separator: &[u8]) -> result::Result<Vec<u8>, Stopped> {
        if separator.is_empty() {
            let why = "Separator should be at least one-byte string";
            return Err(Stopped::Failed(Error::other(why)));
        }
        self.begin()?;
        let consumed = self.find(separator).await?;
        if consumed > self.connection.received.limit() {
            let message = "Separator is found, but chunk is longer than limit";
            return Err(Stopped::TooLong(LimitOverrunError { consumed, message }));
        }
        Ok(self.connection.received.take(consumed + separator.len()))
    }

    /// Waits until the separator has arrived, and returns its place.
    async fn find(&mut self, separator: &[u8]) -> result::Result<usize, Stopped> {
        let received = &self.connection.received;
        // No separator begins in front of this place.
        let mut searched = 0;
        loop {
            if received.len() >= searched + separator.len() {
                if let Some(found) = received.find(separator, searched) {
                    return Ok(found);
                }
                // All but the last byte of a separator can be there already.
                searched = received.len() + 1 - separator.len();
                if searched > received.limit() {
                    let message = "Separator is not found, and chunk exceed the limit";
                    let overrun = LimitOverrunError { consumed: searched, message };
                    return Err(Stopped::TooLong(overrun));
                }
            }
            if received.has_ended() {
                return Err(Stopped::Early(received.take(usize::MAX)));
            }
            self.connection.receive_more().await?;
        }
    }

    /// Drops a line of this length and its separator; or, if that hasn't arrived, all that has.
    fn skip_line(&mut self, length: usize) {
        let received = &self.connection.received;
        let has_ended = received.byte_at(length) == Some(b'\n');
        drop(received.take(if has_ended { length + 1 } else { usize::MAX }));
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Stopped::Failed(error)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Early(partial) => {
                Error::other(IncompleteReadError { partial, expected: None })
            }
            Stopped::TooLong(overrun) => Error::other(overrun),
            Stopped::Failed(error) => error,
        }
    }
}
