//! The reading side of a stream: reads a given number of bytes, all bytes, or the bytes up to a
//! separator. If the stream ends too early or the limit is exceeded, a read fails with an
//! [`IncompleteReadError`] or a [`LimitOverrunError`], which a coroutine can pass on with `?` like
//! any other error.

use std::rc::Rc;
use std::{fmt, result};

use step06_tasks::{Error, Result};

use super::stream_connection::StreamConnection;

/// Reads a connection's bytes: a given number, a line, or all of them; asyncio's `StreamReader`.
///
/// The reading methods take `&mut self`, so two tasks can't wait for the same bytes. In asyncio,
/// the second task gets a `RuntimeError`. If a call is cancelled or fails, the bytes that have
/// arrived stay in the stream, unless the call fails because the stream has ended or because
/// [`readline`](StreamReader::readline) has found a line that's too long. Once the connection has
/// failed, each read fails with the connection's error.
pub struct StreamReader {
    pub(super) connection: Rc<StreamConnection>,
}

impl StreamReader {
    pub(super) fn new(connection: Rc<StreamConnection>) -> Self {
        StreamReader { connection }
    }

    /// Sets the maximum number of bytes in front of a separator, 64 KiB by default. Once more than
    /// twice that many bytes are waiting to be read, the reader receives no more until the waiting
    /// bytes are down to the limit or a call needs more. In asyncio, the limit is an argument of
    /// `open_connection`.
    ///
    /// # Errors
    ///
    /// Fails if the limit is zero.
    pub fn set_limit(&mut self, limit: usize) -> Result<()> {
        self.connection.upper.received.set_limit(checked(limit)?);
        Ok(())
    }

    /// Reads up to `count` bytes: at least one byte, or none at the end of the stream or if `count`
    /// is 0. If no bytes have arrived, waits for some.
    ///
    /// # Errors
    ///
    /// Fails with the error that ended the connection, and with `Cancelled` if the task is
    /// cancelled.
    pub async fn read(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        let received = &self.connection.upper.received;
        if count > 0 && received.len() == 0 && !received.has_ended() {
            self.connection.receive_more().await?;
        }
        Ok(received.take(count))
    }

    /// Reads until the end of the stream; asyncio's `read(-1)`.
    ///
    /// A cancelled call leaves the bytes in the stream, whereas asyncio loses them.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](StreamReader::read) does.
    pub async fn read_to_end(&mut self) -> Result<Vec<u8>> {
        self.begin()?;
        while !self.connection.upper.received.has_ended() {
            self.connection.receive_more().await?;
        }
        Ok(self.connection.upper.received.take(usize::MAX))
    }

    /// Reads exactly `count` bytes, whatever the limit is; asyncio's `readexactly`.
    ///
    /// # Errors
    ///
    /// Fails with an [`IncompleteReadError`] if the stream ends earlier, and as
    /// [`read`](StreamReader::read) does.
    pub async fn read_exactly(&mut self, count: usize) -> Result<Vec<u8>> {
        self.begin()?;
        let received = &self.connection.upper.received;
        while received.len() < count {
            if received.has_ended() {
                let partial = received.take(usize::MAX);
                return Err(Error::other(IncompleteReadError { partial, expected: Some(count) }));
            }
            self.connection.receive_more().await?;
        }
        Ok(received.take(count))
    }

    /// Returns true if the end has been received and all bytes before the end have been read.
    pub fn at_eof(&mut self) -> bool {
        let received = &self.connection.upper.received;
        if received.len() == 0 {
            self.connection.receive_what_is_there();
        }
        received.has_ended() && received.len() == 0
    }

    /// Returns the error that ended the connection, if any.
    pub fn exception(&self) -> Option<Error> {
        self.connection.error()
    }

    /// Begins a call: fails if the connection has failed; otherwise receives the bytes that have
    /// arrived since the last call. If the buffer is empty, leaves receiving to `receive_more`.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.connection.error().map_or(Ok(()), Err)?;
        if self.connection.upper.received.len() > 0 {
            self.connection.receive_what_is_there();
        }
        Ok(())
    }
}

/// Refuses a limit of zero, with asyncio's error message.
pub(super) fn checked(limit: usize) -> Result<usize> {
    if limit == 0 {
        return Err(Error::other("Limit cannot be <= 0"));
    }
    Ok(limit)
}

impl fmt::Debug for StreamReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let received = &self.connection.upper.received;
        f.debug_struct("StreamReader")
            .field("buffered", &received.len())
            .field("has_ended", &received.has_ended())
            .field("limit", &received.limit())
            .finish_non_exhaustive()
    }
}

/// The reason why a read up to a separator has failed.
enum Stopped {
    /// The stream ended after these bytes.
    Early(Vec<u8>),
    TooLong(LimitOverrunError),
    Failed(Error),
}

impl StreamReader {
    /// Reads up to `separator` and returns the bytes, separator included; asyncio's `readuntil`.
    ///
    /// # Errors
    ///
    /// Fails with an [`IncompleteReadError`] if the stream ends before the separator, and with a
    /// [`LimitOverrunError`] if more bytes than the limit are in front of the separator, in which
    /// case the bytes stay in the stream for `read`. Also fails if `separator` is empty, and as
    /// [`read`](StreamReader::read) does.
    pub async fn read_until(&mut self, separator: &[u8]) -> Result<Vec<u8>> {
        Ok(self.until(separator).await?)
    }

    /// Reads a line, with its `\n`. At the end of the stream, returns the remaining bytes. Later
    /// calls return no bytes.
    ///
    /// # Errors
    ///
    /// Fails with a [`LimitOverrunError`] (a `ValueError` in asyncio) if the line is longer than
    /// the limit. The part of the line that has arrived is then dropped. Also fails as
    /// [`read`](StreamReader::read) does.
    ///
    /// # Examples
    ///
    /// ```
    /// use asyncio::{open_connection, run, start_server};
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
    /// # Ok::<(), asyncio::LoopError>(())
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

    /// Reads a line, or returns `None` at the end of the stream, for a `while let`; asyncio's
    /// `async for`.
    ///
    /// # Errors
    ///
    /// Fails as [`readline`](StreamReader::readline) does.
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
        if consumed > self.connection.upper.received.limit() {
            let message = "Separator is found, but chunk is longer than limit";
            return Err(Stopped::TooLong(LimitOverrunError { consumed, message }));
        }
        Ok(self.connection.upper.received.take(consumed + separator.len()))
    }

    /// Waits until the separator has arrived and returns its position.
    async fn find(&mut self, separator: &[u8]) -> result::Result<usize, Stopped> {
        let received = &self.connection.upper.received;
        // No separator begins in front of this place.
        let mut searched = 0;
        loop {
            if received.len() >= searched + separator.len() {
                if let Some(found) = received.find(separator, searched) {
                    return Ok(found);
                }
                // All but the last byte of a separator may already have arrived.
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

    /// Drops a line with `length` bytes and its separator, or all received bytes if the separator
    /// hasn't arrived.
    fn skip_line(&mut self, length: usize) {
        let received = &self.connection.upper.received;
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

/// The error of a read whose stream ended too early; asyncio's `IncompleteReadError`.
///
/// ```
/// use asyncio::{IncompleteReadError, open_connection, run, start_server};
/// let partial = run(async {
///     let server = start_server(
///         |_reader, writer| async move { writer.write(b"hel") },
///         "127.0.0.1:0",
///     )
///     .await?;
///     let (mut reader, _writer) = open_connection(server.local_addrs()?[0]).await?;
///     let error = reader.read_exactly(5).await.expect_err("only three bytes come");
///     let incomplete = IncompleteReadError::in_error(&error).expect("it's the end");
///     Ok(incomplete.partial.clone())
/// })?;
/// assert_eq!(partial, b"hel");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteReadError {
    /// The bytes before the end. They're no longer in the stream.
    pub partial: Vec<u8>,
    /// The number of bytes that the call asked for, or `None` if it didn't ask for a number.
    pub expected: Option<usize>,
}

impl IncompleteReadError {
    /// Returns the `IncompleteReadError` inside an error, if any.
    pub fn in_error(error: &Error) -> Option<&Self> {
        inner(error)
    }
}

impl fmt::Display for IncompleteReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = self.expected.map_or_else(|| "undefined".to_owned(), |it| it.to_string());
        let received = self.partial.len();
        write!(f, "{received} bytes read on a total of {expected} expected bytes")
    }
}

impl std::error::Error for IncompleteReadError {}

/// The error of a read that found no separator within the stream's limit; asyncio's
/// `LimitOverrunError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitOverrunError {
    /// The number of bytes that are certain to come before any separator. They're still in the
    /// stream, unless the error comes from [`readline`](crate::StreamReader::readline).
    pub consumed: usize,
    pub(super) message: &'static str,
}

impl LimitOverrunError {
    /// Returns the `LimitOverrunError` inside an error, if any.
    pub fn in_error(error: &Error) -> Option<&Self> {
        inner(error)
    }
}

impl fmt::Display for LimitOverrunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for LimitOverrunError {}

fn inner<E: std::error::Error + 'static>(error: &Error) -> Option<&E> {
    match error {
        Error::Other(inner) => inner.downcast_ref(),
        _ => None,
    }
}
