//! Why a reader has no whole answer. A coroutine carries these errors like any other, with `?`.

use std::fmt;

use step06_tasks::Error;

/// The stream ended too early; asyncio's `IncompleteReadError`.
///
/// ```
/// use step07_full_loop::{IncompleteReadError, open_connection, run, start_server};
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
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteReadError {
    /// What had been received until the end. It's taken from the stream.
    pub partial: Vec<u8>,
    /// How many bytes were asked for, if it was a number.
    pub expected: Option<usize>,
}

impl IncompleteReadError {
    /// Returns the early end that an error is about.
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

/// No separator came within the limit of the stream; asyncio's `LimitOverrunError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitOverrunError {
    /// The number of bytes that surely belong in front of a separator. They're still in the stream,
    /// unless it was [`readline`](crate::StreamReader::readline) that failed.
    pub consumed: usize,
    pub(super) message: &'static str,
}

impl LimitOverrunError {
    /// Returns the overrun that an error is about.
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
