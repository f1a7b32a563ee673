//! Lists of tasks that wait until a connection has room, or until a connection, a server's last
//! client, or a process has ended. All tasks of a list are woken at once, so their order doesn't
//! matter. Each has its own future, because cancelling a task cancels the future that it awaits.

use step06_tasks::Future;

use crate::EventLoop;

/// Holds a future for each wait. If a wait is given up, its future stays until a later `add` or
/// `take` removes it.
#[derive(Debug)]
pub(crate) struct WaitList<T: 'static> {
    futures: Vec<Future<T>>,
    /// The number of futures at which `add` searches for waits that were given up.
    room: usize,
}

impl<T: 'static> WaitList<T> {
    /// Adds a wait and returns its future.
    ///
    /// A wait that's cancelled or dropped leaves its future in the list. If every call searched for
    /// such futures, each wait would cost more the more tasks are waiting. So `add` searches only
    /// when the list has doubled since the last search. On average, a wait then costs the same,
    /// however long the list is.
    pub(crate) fn add(&mut self, event_loop: &EventLoop) -> Future<T> {
        if self.futures.len() >= self.room {
            self.futures.retain(|future| future.is_shared() && !future.done());
            self.room = (2 * self.futures.len()).max(1);
        }
        let future = event_loop.create_future();
        self.futures.push(future.clone());
        future
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.futures.is_empty()
    }

    /// Empties the list and returns the futures that code still holds, so that the caller can
    /// finish them once the list is no longer borrowed. The future of a dropped wait isn't among
    /// them: if it got an error, the loop would report that no code has retrieved it.
    pub(crate) fn take(&mut self) -> Vec<Future<T>> {
        let mut futures = std::mem::take(self).futures;
        futures.retain(Future::is_shared);
        futures
    }
}

impl<T: 'static> Default for WaitList<T> {
    fn default() -> Self {
        WaitList { futures: Vec::new(), room: 0 }
    }
}

#[cfg(test)]
mod tests {
    use kit::cost::{cpu_time_of, growth};

    use super::*;

    #[test]
    fn a_wait_that_was_dropped_is_not_returned() {
        let (mut waiting, event_loop) = (WaitList::<()>::default(), EventLoop::new().unwrap());
        let waits = waiting.add(&event_loop);
        drop(waiting.add(&event_loop));
        assert_eq!(waiting.take().len(), 1);
        assert!(!waits.done());
        assert!(waiting.is_empty());
    }

    #[test]
    fn a_wait_costs_the_same_however_many_there_are() {
        let event_loop = EventLoop::new().unwrap();
        let grows = growth((1000, 16_000), |count| {
            let mut waiting = WaitList::<()>::default();
            let add = || (0..count).map(|_| waiting.add(&event_loop)).collect::<Vec<_>>();
            cpu_time_of(add).unwrap().1
        });
        assert!(grows < 50.0, "by a factor of {grows}");
    }
}
