//! What all connections share: the site, its limits, and room for a piece of a file.

use std::cell::RefCell;

use crate::limits::Limits;
use crate::site::Site;

/// The size of a piece of a file.
pub(crate) const PIECE: usize = 256 * 1024;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) site: Site,
    pub(crate) limits: Limits,
    /// No connection needs it across an await, so one is enough.
    pub(crate) scratch: RefCell<Vec<u8>>,
}
