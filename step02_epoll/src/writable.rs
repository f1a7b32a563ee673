//! The other half of what an event says about readiness. It has a file of its own because a page of
//! the notebook doesn't get it: it's nearly the answer to the first half.

use crate::Event;
use crate::event::BROKEN;

impl Event {
    /// Returns true if a write wouldn't block: there's room, for a part at least, or an error to
    /// fetch.
    pub fn is_writable(self) -> bool {
        self.has(libc::EPOLLOUT | BROKEN)
    }
}
