//! Dropping what a queue holds, without running it.
//!
//! A coroutine might hold the queue that holds it. So it isn't enough to drop the queue: its
//! loop clears it. And what it holds can be anything, with a destructor that uses the queue or panics.

use crate::ReadyQueue;

impl ReadyQueue {
    /// Drops all callbacks and all coroutines without running them. A destructor that panics is
    /// reported, and the others run all the same.
    pub fn clear(&self) {
        self.take_ahead();
        for runnable in self.shared.ready.take() {
            self.discard(runnable);
        }
        let tasks = self.shared.tasks.borrow().all();
        for task in tasks {
            task.abandon();
            self.discard(task);
        }
    }

    /// Clears the queue for good, as a loop does when it closes. A future that's finished afterwards
    /// drops its callbacks, because nothing would run them. (asyncio's `set_result` raises
    /// `RuntimeError` then)
    pub fn close(&self) {
        self.shared.closed.set(true);
        self.clear();
        // What a destructor has scheduled has a destructor as well.
        while !self.is_empty() {
            self.clear();
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.closed.get()
    }

    /// Drops a value, and reports a panic of its destructor. When many things are dropped, each by
    /// itself, one bad destructor spares the others; two that panic in one drop would end the
    /// process.
    pub fn discard<T>(&self, value: T) {
        self.report_panic("Exception in a destructor", || drop(value));
    }
}
