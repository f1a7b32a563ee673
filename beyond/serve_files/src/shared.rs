//! The state that all connections share, such as the site, the limits, and a buffer for reads.

use std::cell::{Cell, RefCell};
use std::net::TcpStream;
use std::rc::Rc;

use asyncio::{AsyncFd, Result, Semaphore};

use crate::limits::Limits;
use crate::site::Site;

/// A connection's socket.
pub(crate) type Socket = AsyncFd<TcpStream>;

/// The maximum length, in bytes, of a file or a part of a file that's read and sent together with
/// the head.
pub(crate) const SMALL: usize = 64 * 1024;

/// The maximum number of bytes that a thread reads from a file at once. No answer's head is longer.
pub(crate) const PIECE: usize = 256 * 1024;

/// The maximum size of a piece that's sent without being read. Two calls check whether each piece
/// is in memory. With pieces of 256 KiB, there would be more of these calls, and a file of 5 MiB
/// would take 7 % more processor time.
pub(crate) const SENT_AT_ONCE: u64 = 1024 * 1024;

/// The state that all connections share.
pub(crate) struct Shared {
    pub(crate) site: Site,
    pub(crate) limits: Limits,
    /// True if no further client can be served until a connection is closed.
    pub(crate) is_full: Cell<bool>,
    /// A buffer for all connections. No connection needs it across an await, so one buffer is
    /// enough.
    pub(crate) scratch: RefCell<Vec<u8>>,
}

/// A connection's permit. Dropping this value returns the permit. A semaphore's own guard borrows
/// the semaphore, so it can't be moved into a new task.
pub(crate) struct Permit(Rc<Semaphore>);

impl Permit {
    /// Waits for a permit.
    pub(crate) async fn take(permits: &Rc<Semaphore>) -> Result<Self> {
        permits.acquire().await?;
        Ok(Permit(Rc::clone(permits)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}
