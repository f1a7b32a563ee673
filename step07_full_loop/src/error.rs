//! The errors of a loop, in asyncio's words.

use std::{fmt, io};

use step06_tasks::Error;

/// The result of a request to a loop.
pub type LoopResult<T> = Result<T, LoopError>;

/// The reason why the loop refused a request or couldn't carry it out; asyncio raises
/// `RuntimeError` for most of these reasons.
#[derive(Debug)]
pub enum LoopError {
    /// The loop is closed.
    Closed,
    /// The runner is closed.
    RunnerClosed,
    /// The loop is already running.
    AlreadyRunning,
    /// The loop is running, so it can't be closed now.
    CloseWhileRunning,
    /// Another loop is running in this thread; loops don't nest.
    AnotherIsRunning,
    /// No loop is running in this thread.
    NoneIsRunning,
    /// The future belongs to another loop; asyncio raises `ValueError`.
    WrongLoop,
    /// The loop was stopped before the coroutine, future or task that it ran for was done.
    StoppedEarly,
    /// SIGINT arrived, and the main task ended cancelled; asyncio raises `KeyboardInterrupt`.
    Interrupted,
    /// The coroutine, future or task that the loop ran for has failed with this error.
    Task(Error),
    /// A system call of the loop itself failed.
    Io(io::Error),
}

impl fmt::Display for LoopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LoopError::Closed => "Event loop is closed",
            LoopError::RunnerClosed => "Runner is closed",
            LoopError::AlreadyRunning => "This event loop is already running",
            LoopError::AnotherIsRunning => {
                "Cannot run the event loop while another loop is running"
            }
            LoopError::CloseWhileRunning => "Cannot close a running event loop",
            LoopError::NoneIsRunning => "no running event loop",
            LoopError::WrongLoop => {
                "The future belongs to a different loop than the one specified as the loop argument"
            }
            LoopError::StoppedEarly => "Event loop stopped before Future completed.",
            LoopError::Interrupted => "interrupted",
            LoopError::Task(error) => return error.fmt(f),
            LoopError::Io(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for LoopError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoopError::Task(error) => error.source(),
            LoopError::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for LoopError {
    fn from(error: io::Error) -> Self {
        LoopError::Io(error)
    }
}

/// Lets `?` carry a loop's error out of a coroutine.
impl From<LoopError> for Error {
    fn from(error: LoopError) -> Self {
        match error {
            LoopError::Task(error) => error,
            LoopError::Io(error) => Error::from(error),
            refusal => Error::other(refusal),
        }
    }
}
