//! The end of a loop.
//!
//! Closing drops every value of the program that the loop holds, except its clock and the attached
//! objects, and such a value can be anything: a callback, a coroutine in the middle of its body, a
//! guard whose destructor uses the loop once more. So nothing is borrowed while a value is dropped,
//! and each is dropped separately: a panic is reported, and the other destructors still run.
//!
//! A library's objects can end with the loop, too: the transports of the crate `asyncio`, for
//! example, are closed with the loop, so the loop has to find them. But this crate has no
//! transports. So the loop keeps such an object by its type and requires only that the object can
//! be closed.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::ReadyQueue;

use super::{Core, EventLoop, Source};
use crate::{LoopError, LoopResult};

impl EventLoop {
    /// Closes the loop: drops all callbacks and tasks without running them and restores the
    /// previous action of every handled signal. Closing a loop twice is fine.
    ///
    /// A destructor can use the loop meanwhile, but the loop is already closed: `remove_reader` and
    /// similar functions return false, `call_soon` and similar functions panic, and
    /// `call_soon_threadsafe` fails. A destructor's panic goes to the exception handler, which is
    /// dropped last. After that the default handler applies. asyncio keeps the handler: a handler
    /// that holds its loop is a cycle, which Python collects but Rust doesn't.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::CloseWhileRunning`] if the loop is running.
    pub fn close(&self) -> LoopResult<()> {
        if self.is_running() {
            return Err(LoopError::CloseWhileRunning);
        }
        self.core.close();
        Ok(())
    }
}

impl Core {
    fn close(&self) {
        // Release, for the Acquire in LoopHandle::call_soon_threadsafe.
        self.closed.store(true, Ordering::Release);
        self.close_attached();
        self.drop_signal_handlers();
        self.drop_executor();
        self.clear_trace();
        self.drop_timers();
        self.drop_sources();
        self.queue.close();
        self.drop_exception_handler();
    }

    fn drop_signal_handlers(&self) {
        // In a statement of its own: from here on, nothing is borrowed.
        let handlers = self.signal_handlers.take();
        for handle in handlers.into_handles() {
            self.queue.discard(handle);
        }
    }

    fn drop_timers(&self) {
        let mut timers = self.timers.take();
        while let Some(timer) = timers.pop_due(Time::ZERO + Duration::MAX) {
            self.queue.discard(timer);
        }
    }

    fn drop_sources(&self) {
        let poller = self.poller.take();
        let keys = poller.iter().flat_map(|poller| poller.selector.keys());
        let sources: Vec<Source> = keys.map(|key| key.data.clone()).collect();
        drop(poller);
        for source in sources {
            match source {
                Source::Callbacks(callbacks, _) => {
                    let callbacks = Rc::unwrap_or_clone(callbacks);
                    self.queue.discard(callbacks.reader);
                    self.queue.discard(callbacks.writer);
                }
                other => self.queue.discard(other),
            }
        }
    }

    /// Drops the exception handler last, because the other destructors' panics go to it. A panic of
    /// its own destructor goes to the default handler.
    fn drop_exception_handler(&self) {
        self.queue
            .run_reporting("Exception in a destructor", || self.queue.clear_exception_handler());
    }
}

/// A loop closes itself when its last handle is dropped. A loop that's held by its own callbacks or
/// coroutines lives, with all of them, until it's closed: unlike Python, Rust doesn't collect
/// cycles.
impl Drop for Core {
    fn drop(&mut self) {
        self.close();
    }
}

/// An object that a loop keeps and closes at its end. A loop keeps at most one object of each type.
pub trait ClosesWithTheLoop: Any {
    /// Closes the object and everything in it. The loop is already closed. Drop the program's
    /// values with [`ReadyQueue::discard`], since their destructors can do anything.
    fn close(&self, queue: &ReadyQueue);
}

/// The objects attached to a loop. There are a few at most, so a list is enough.
#[derive(Default)]
pub(crate) struct Attached(RefCell<Vec<Rc<dyn ClosesWithTheLoop>>>);

impl EventLoop {
    /// Returns this loop's object of type `T`, which the first call makes. The loop keeps the
    /// object until the loop itself is dropped, so `close` always finds the object.
    pub fn attached<T: ClosesWithTheLoop + Default>(&self) -> Rc<T> {
        if let Some(found) = self.core.attached.find() {
            return found;
        }
        // When nothing is borrowed: `default` can run any code and attach something itself.
        let made = Rc::<T>::default();
        if let Some(found) = self.core.attached.find() {
            return found;
        }
        self.core.attached.0.borrow_mut().push(Rc::clone(&made) as _);
        made
    }
}

impl Attached {
    fn find<T: Any>(&self) -> Option<Rc<T>> {
        self.0.borrow().iter().find_map(|one| {
            let one: Rc<dyn Any> = Rc::clone(one) as _;
            one.downcast().ok()
        })
    }
}

impl Core {
    /// Closes all attached objects.
    pub(crate) fn close_attached(&self) {
        // In a statement of its own: nothing is borrowed while an object closes.
        let attached = self.attached.0.borrow().clone();
        for one in attached {
            self.queue
                .run_reporting("Exception at the close of the loop", || one.close(&self.queue));
        }
    }
}
