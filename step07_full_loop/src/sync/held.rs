//! A guard: what `async with` is in Rust.
//!
//! Python's `async with lock:` releases the lock at the end of the block, whichever way the block is
//! left. In Rust, the end of a block drops what was made in it, so the same is done by a value whose
//! destructor releases the lock.

use std::fmt;

use step06_tasks::Result;

/// What has to be released.
pub(crate) trait Release {
    fn release(&self) -> Result<()>;
}

/// A lock or a permit that's held, and released when this is dropped: at the end of the block, also
/// if `?` leaves it early, and if the whole coroutine is dropped.
///
/// It has to have a name for that, if only `_held`: `let _ = lock.hold().await?` drops it at once.
#[must_use = "it's released when this is dropped"]
pub struct Held<'a> {
    /// `None` once it's released.
    what: Option<&'a dyn Release>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(what: &'a dyn Release) -> Self {
        Held { what: Some(what) }
    }

    /// Releases it now. Fails if other code has released it before.
    pub fn release(mut self) -> Result<()> {
        self.what.take().map_or(Ok(()), Release::release)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // If other code has released it before, there's nothing left to do. (asyncio raises
        // RuntimeError at the end of the block, but a destructor has nobody to tell.)
        let _ = self.what.take().map_or(Ok(()), Release::release);
    }
}

impl fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").finish()
    }
}
