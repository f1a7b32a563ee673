//! Several errors that come out together.

use std::fmt;

use step06_tasks::Error;

/// Errors that have happened at the same time; Python's `ExceptionGroup`. It's inside an
/// [`Error::Other`], and [`of`](ExceptionGroup::of) finds it.
#[derive(Debug, Clone)]
pub struct ExceptionGroup {
    message: &'static str,
    exceptions: Vec<Error>,
}

impl ExceptionGroup {
    pub(crate) fn new(message: &'static str, exceptions: Vec<Error>) -> Self {
        ExceptionGroup { message, exceptions }
    }

    /// Returns the group that an error is, if it's one.
    ///
    /// ```
    /// use step07_full_loop::{Error, ExceptionGroup, TaskGroup, run};
    /// let errors = run(async {
    ///     let group = TaskGroup::new();
    ///     let ended = group.run(async {
    ///         group.create_task(async { Err::<(), _>(Error::other("no such user")) })?;
    ///         Ok(())
    ///     });
    ///     let error = ended.await.expect_err("a member fails");
    ///     Ok(ExceptionGroup::of(&error).map(|group| group.exceptions().to_vec()))
    /// })?;
    /// assert_eq!(errors.expect("a group")[0].to_string(), "no such user");
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn of(error: &Error) -> Option<&ExceptionGroup> {
        match error {
            Error::Other(other) => other.downcast_ref(),
            _ => None,
        }
    }

    /// Returns the errors, in the order in which they came.
    pub fn exceptions(&self) -> &[Error] {
        &self.exceptions
    }
}

/// Prints the message and the number of errors, in Python's words.
impl fmt::Display for ExceptionGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.exceptions.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{} ({count} sub-exception{plural})", self.message)
    }
}

impl std::error::Error for ExceptionGroup {}

impl From<ExceptionGroup> for Error {
    fn from(group: ExceptionGroup) -> Self {
        Error::other(group)
    }
}
