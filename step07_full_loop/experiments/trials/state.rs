//! The state of a future, in words that are the same for every right answer.

use std::fmt;

use kit::errno_name;
use step07_full_loop::{Error, Future};

/// Prints a future's state.
pub(super) struct State<'a, T: 'static>(pub(super) &'a Future<T>);

impl<T: Clone + fmt::Display> fmt::Display for State<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.result() {
            _ if !self.0.done() => f.write_str("pending"),
            Ok(value) => write!(f, "Ok({value})"),
            Err(Error::Io(error)) => write!(f, "Err(Io({}))", errno_name(step01_fd::errno(&error))),
            Err(Error::Panicked(message)) => write!(f, "Err(Panicked({message}))"),
            // An error can have the same text.
            Err(error) if self.0.cancelled() => write!(f, "cancelled: Err({error})"),
            Err(error) => write!(f, "Err({error})"),
        }
    }
}
