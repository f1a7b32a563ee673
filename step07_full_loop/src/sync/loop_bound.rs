//! The loop whose tasks use a lock or a queue; asyncio's `mixins.py`.
//!
//! A lock is made without a loop, and belongs to the one in which a task first has to wait for it.

use std::cell::OnceCell;
use std::fmt;
use std::rc::{Rc, Weak};

use step06_tasks::{Future, Result};

use crate::event_loop::Core;
use crate::{SyncError, get_running_loop};

/// The loop in which the first wait took place. Weak, because the loop holds the tasks that hold
/// the lock. (Its address stays taken for as long as this is there, so no other loop has the same.)
#[derive(Default)]
pub(crate) struct LoopBound {
    event_loop: OnceCell<Weak<Core>>,
}

impl LoopBound {
    /// Makes a future of the running loop, for a task to wait for. Fails if no loop runs in this
    /// thread, and if it isn't the one of the first wait.
    pub(crate) fn create_future(&self) -> Result<Future<()>> {
        let running = get_running_loop()?;
        let bound = self.event_loop.get_or_init(|| Rc::downgrade(&running.core));
        if !std::ptr::eq(bound.as_ptr(), Rc::as_ptr(&running.core)) {
            return Err(SyncError::BoundToAnotherLoop.into());
        }
        Ok(running.create_future())
    }
}

impl fmt::Debug for LoopBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoopBound").field(&self.event_loop.get().is_some()).finish()
    }
}
