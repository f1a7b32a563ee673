//! The error of a time limit.

use std::fmt;

use step06_tasks::Error;

/// The time was up; asyncio's `TimeoutError`. It's inside an [`Error::Other`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeoutError;

impl TimeoutError {
    /// Returns true if the error is this one.
    ///
    /// ```
    /// use step07_full_loop::{Error, TimeoutError};
    /// assert!(TimeoutError::is(&Error::from(TimeoutError)));
    /// assert!(!TimeoutError::is(&Error::cancelled()));
    /// ```
    pub fn is(error: &Error) -> bool {
        matches!(error, Error::Other(other) if other.is::<TimeoutError>())
    }
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("timed out")
    }
}

impl std::error::Error for TimeoutError {}

impl From<TimeoutError> for Error {
    fn from(error: TimeoutError) -> Self {
        Error::other(error)
    }
}
