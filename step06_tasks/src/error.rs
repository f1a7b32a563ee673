//! The reasons why a task or a future has no result.
//!
//! asyncio raises an exception; Rust code returns an error. An `await` in this crate yields a
//! [`Result`], and `?` carries the error up through the coroutines, as Python does with an
//! exception. [`Error::Cancelled`] takes the same path.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::{fmt, io, mem};

/// The result of a coroutine, a future or a task.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a task or a future has no result. It can be cloned, because each task that awaits
/// a future gets a clone.
#[derive(Clone)]
pub enum Error {
    /// The task was asked to end or the future was cancelled, perhaps with a message; asyncio's
    /// `CancelledError`.
    Cancelled(Option<Arc<str>>),
    /// The future's state doesn't allow the call, for example because the future is already done or
    /// isn't done yet; asyncio's `InvalidStateError`.
    InvalidState(&'static str),
    /// A coroutine or other code of the program panicked with this message. The loop continues.
    Panicked(String),
    /// A system call failed.
    Io(Arc<io::Error>),
    /// Any other error.
    Other(Arc<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Makes the error of a cancellation without a message.
    pub fn cancelled() -> Self {
        Error::Cancelled(None)
    }

    /// Wraps any error, or a message.
    ///
    /// ```
    /// let error = step06_tasks::Error::other("no such user");
    /// assert_eq!(error.to_string(), "no such user");
    /// ```
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Other(Arc::from(error.into()))
    }

    /// Returns true if the error is [`Error::Cancelled`].
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Error::Cancelled(_))
    }

    /// Makes the error for a caught panic and drops its payload. The payload's destructor can
    /// panic, too. The payload of that second panic is never dropped, since its destructor could
    /// panic again.
    #[cold]
    pub fn from_panic(payload: Box<dyn Any + Send>) -> Self {
        let error = Error::panicked(&*payload);
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            mem::forget(another);
        }
        error
    }

    /// Makes the error for a caught panic, with its message.
    pub fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Error::Panicked(text.unwrap_or("a payload that is no text").to_owned())
    }
}

/// Prints what a derived `Debug` would, except for a cancellation: its message has no `Some` around
/// it, and a cancellation without a message is just `Cancelled`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Cancelled(None) => f.write_str("Cancelled"),
            Error::Cancelled(Some(message)) => f.debug_tuple("Cancelled").field(message).finish(),
            Error::InvalidState(why) => f.debug_tuple("InvalidState").field(why).finish(),
            Error::Panicked(message) => f.debug_tuple("Panicked").field(message).finish(),
            Error::Io(error) => f.debug_tuple("Io").field(error).finish(),
            Error::Other(error) => f.debug_tuple("Other").field(error).finish(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Cancelled(None) => f.write_str("cancelled"),
            Error::Cancelled(Some(message)) => write!(f, "cancelled: {message}"),
            Error::InvalidState(why) => write!(f, "invalid state: {why}"),
            Error::Panicked(message) => write!(f, "panicked: {message}"),
            Error::Io(error) => error.fmt(f),
            Error::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => error.source(),
            Error::Other(error) => error.source(),
            Error::Cancelled(_) | Error::InvalidState(_) | Error::Panicked(_) => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(Arc::new(error))
    }
}
