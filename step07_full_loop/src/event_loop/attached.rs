//! What other parts of the crate keep per loop, though the loop doesn't know those parts.
//!
//! The transports are an example: closing a loop ends its transports, so it has to find them. But a
//! loop is complete without them, and their folder builds on this one. So the loop keeps such a thing
//! for whoever asks for it, by its type, and only knows that it closes with the loop.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use step06_tasks::ReadyQueue;

use crate::event_loop::{Core, EventLoop};

/// A thing that a loop keeps, one of each type.
pub(crate) trait ClosesWithTheLoop: Any {
    /// Ends all that's in it. The loop is closed already. Values of the program are dropped by
    /// [`ReadyQueue::discard`], since their destructors can do anything.
    fn close(&self, queue: &ReadyQueue);
}

/// All that's attached to a loop. There are a few at most, so a list will do.
#[derive(Default)]
pub(crate) struct Attached(RefCell<Vec<Rc<dyn ClosesWithTheLoop>>>);

impl EventLoop {
    /// Returns this loop's `T`, which is made when it's first asked for. It lasts as long as the loop,
    /// and so it's also there when the loop is closed.
    pub(crate) fn attached<T: ClosesWithTheLoop + Default>(&self) -> Rc<T> {
        let mut attached = self.core.attached.0.borrow_mut();
        let found = attached.iter().find_map(|one| {
            let one: Rc<dyn Any> = Rc::clone(one) as _;
            one.downcast().ok()
        });
        found.unwrap_or_else(|| {
            let made = Rc::<T>::default();
            attached.push(Rc::clone(&made) as _);
            made
        })
    }
}

impl Core {
    /// Closes all that's attached.
    pub(crate) fn close_attached(&self) {
        // In a statement of its own: nothing is borrowed while something closes.
        let attached = self.attached.0.borrow().clone();
        for one in attached {
            one.close(&self.queue);
        }
    }
}
