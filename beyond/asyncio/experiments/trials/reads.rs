//! Reading in the trials of receiving: tasks that share a reader, and what it has got of the
//! sequence that the peer sends.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use asyncio::{Error, Result, StreamReader};
use kit::errno_name;
use step01_fd::errno;

use super::lines::Wait;

/// A reader that several tasks use in turn.
pub(super) type Shelf = Rc<RefCell<Option<StreamReader>>>;

/// A reader that's put back when it's dropped.
struct Borrowed(Option<StreamReader>, Shelf);

impl Borrowed {
    fn from(shelf: &Shelf) -> Option<Self> {
        let reader = shelf.take()?;
        Some(Borrowed(Some(reader), Rc::clone(shelf)))
    }
}

impl Deref for Borrowed {
    type Target = Option<StreamReader>;

    fn deref(&self) -> &Option<StreamReader> {
        &self.0
    }
}

impl DerefMut for Borrowed {
    fn deref_mut(&mut self) -> &mut Option<StreamReader> {
        &mut self.0
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.1.replace(self.0.take());
    }
}

/// A task's way of reading.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    Some(usize),
    Exactly(usize),
    All,
    /// The sequence has a newline in each period.
    Line,
}

/// Reads, unless another task is reading.
pub(super) fn read(shelf: &Shelf, position: &Position, wanted: Wanted) -> Wait {
    let (shelf, position) = (Rc::clone(shelf), Rc::clone(position));
    Box::pin(async move {
        let Some(mut borrowed) = Borrowed::from(&shelf) else {
            return Ok("another task is reading".to_owned());
        };
        let Some(reader) = borrowed.as_mut() else { return Ok(String::new()) };
        let outcome = match wanted {
            Wanted::Some(count) => reader.read(count).await,
            Wanted::Exactly(count) => reader.read_exactly(count).await,
            Wanted::All => reader.read_to_end().await,
            Wanted::Line => reader.readline().await,
        };
        Ok(got(outcome, &position))
    })
}

/// The position in the sequence at which a reader should go on.
pub(super) type Position = Rc<Cell<usize>>;

/// Puts into words what a reader has got, and whether that's what comes next in the sequence.
fn got(outcome: Result<Vec<u8>>, position: &Position) -> String {
    let bytes = match outcome {
        Ok(bytes) => bytes,
        error => return Got(error).to_string(),
    };
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return "no bytes".to_owned();
    };
    let first = usize::from(first);
    let order = if bytes != sequence(first, bytes.len()) {
        "not in order"
    } else if first == position.get() % PERIOD {
        "the next in order"
    } else {
        "in order, but not the bytes that come next"
    };
    position.set(usize::from(last) + 1);
    format!("{} bytes, {order}", bytes.len())
}

/// Words for what a reader has got.
pub(super) struct Got(pub(super) Result<Vec<u8>>);

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(bytes) => write!(f, "{} bytes", bytes.len()),
            Err(Error::Io(error)) => f.write_str(&errno_name(errno(error))),
            Err(error) => write!(f, "{error}"),
        }
    }
}

/// After this many bytes, the sequence begins again.
const PERIOD: usize = 251;

/// Returns part of the endless sequence 0, 1, … 250, 0, 1, …
pub(super) fn sequence(start: usize, count: usize) -> Vec<u8> {
    let period: Vec<u8> = (0..=250).collect();
    let offset = start % period.len();
    let mut bytes = period.repeat((offset + count).div_ceil(period.len()));
    bytes.truncate(offset + count);
    bytes.split_off(offset)
}
