//! What ended tasks have left for those to come, and when to give it back.
//!
//! A queue keeps wakers that nothing holds any more, and the indices of tasks that have ended. It's
//! little memory, but it can be scattered: a load of ten thousand tasks leaves up to a thousand
//! blocks, and an allocator can return to the system only what lies above everything that's in use.

use crate::ReadyQueue;

/// So many aren't worth giving back: a burst of tasks now and then would only allocate them anew.
const WORTH_KEEPING: usize = 128;

impl ReadyQueue {
    /// Returns true if many tasks have ended, and few are left. It costs next to nothing.
    #[inline]
    pub fn has_spare_memory(&self) -> bool {
        let tasks = self.shared.tasks.borrow();
        tasks.most() > WORTH_KEEPING && tasks.most() > 4 * tasks.len()
    }

    /// Gives back what ended tasks have left for those to come. A loop calls this when it has nothing
    /// to do.
    pub fn give_back_memory(&self) {
        let spare = self.shared.tasks.borrow_mut().take_spare();
        // When the table isn't borrowed any more.
        drop(spare);
    }
}
