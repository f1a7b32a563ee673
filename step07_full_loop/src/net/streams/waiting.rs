//! Who waits for a connection: until enough is sent, or until it's closed.
//!
//! Each has a future of its own, since cancelling a task cancels the future that it awaits.

use std::cell::Cell;

use step06_tasks::{Error, Future};

use crate::event_loop::EventLoop;

/// The futures of all that wait. Mostly there are none, and then it's a single pointer.
#[derive(Default)]
pub(super) struct Waiting(Cell<Option<Box<Lists>>>);

#[derive(Default)]
struct Lists {
    for_room: Vec<Future<()>>,
    for_the_end: Vec<Future<()>>,
}

impl Waiting {
    /// Makes a future for a task that waits until enough is sent, or until the connection is lost.
    pub(super) fn for_room(&self, event_loop: &EventLoop) -> Future<()> {
        self.listed(event_loop, |lists| &mut lists.for_room)
    }

    /// Makes a future for a task that waits until the connection is lost.
    pub(super) fn for_the_end(&self, event_loop: &EventLoop) -> Future<()> {
        self.listed(event_loop, |lists| &mut lists.for_the_end)
    }

    fn listed(
        &self,
        event_loop: &EventLoop,
        list: impl FnOnce(&mut Lists) -> &mut Vec<Future<()>>,
    ) -> Future<()> {
        let future = event_loop.create_future();
        let mut lists = self.0.take().unwrap_or_default();
        let list = list(&mut lists);
        // The others were cancelled or dropped: a peer may have stopped reading long ago.
        list.retain(|future| future.is_shared() && !future.done());
        list.push(future.clone());
        self.0.set(Some(lists));
        future
    }

    /// Lets those go on that wait until enough is sent.
    pub(super) fn release_writers(&self) {
        let lists = self.0.take();
        let Some(mut lists) = lists else { return };
        let writers = std::mem::take(&mut lists.for_room);
        if !lists.for_the_end.is_empty() {
            self.0.set(Some(lists));
        }
        finish(writers, None);
    }

    /// Tells all that the connection is lost, and why: in asyncio's order.
    pub(super) fn release_all(&self, error: Option<&Error>) {
        let lists = self.0.take();
        if let Some(lists) = lists {
            finish(lists.for_the_end, error);
            finish(lists.for_room, error);
        }
    }
}

fn finish(futures: Vec<Future<()>>, error: Option<&Error>) {
    for future in futures {
        // One that was cancelled waits no more.
        let _ = match error {
            None => future.set_result(()),
            Some(error) => future.set_exception(error.clone()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_were_cancelled_or_dropped_are_not_kept() {
        let (waiting, event_loop) = (Waiting::default(), EventLoop::new().unwrap());
        let waits = waiting.for_room(&event_loop);
        for _ in 0..100 {
            waiting.for_room(&event_loop).cancel();
            drop(waiting.for_room(&event_loop));
        }
        let lists = waiting.0.take().unwrap();
        assert!(lists.for_room.len() <= 2, "{} are kept", lists.for_room.len());
        assert!(lists.for_room[0].is_shared() && !waits.done());
    }
}
