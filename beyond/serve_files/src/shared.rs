//! What all connections share: the site, its limits, and room for a piece of a file.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use asyncio::{Result, Semaphore};

use crate::limits::Limits;
use crate::site::Site;

/// The size of a piece of a file.
pub(crate) const PIECE: usize = 256 * 1024;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) site: Site,
    pub(crate) limits: Limits,
    /// No other client can have a connection before one is closed.
    pub(crate) is_full: Cell<bool>,
    /// No connection needs it across an await, so one is enough.
    pub(crate) scratch: RefCell<Vec<u8>>,
}

/// A permit for a connection, which is given back when this is dropped. A semaphore's own guard
/// borrows the semaphore, which a task can't do.
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
