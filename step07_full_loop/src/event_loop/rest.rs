//! A loop that has nothing to do gives back what a load has left behind.
//!
//! Under load, memory that's kept for the next task or event saves an allocation each. After the load
//! it's in the way: small blocks, scattered over all the memory that was in use, keep the allocator
//! from returning it to the system. So the loop looks before it sleeps.

use crate::event_loop::EventLoop;

impl EventLoop {
    /// Gives back what isn't needed any more, if the loop is about to sleep.
    #[inline]
    pub(crate) fn give_back_before_a_sleep(&self) {
        if self.core.queue.has_spare_memory() && self.core.queue.is_empty() {
            self.give_back();
        }
    }

    #[cold]
    fn give_back(&self) {
        self.core.queue.give_back_memory();
        let events = self.core.events.take();
        drop(events);
    }
}
