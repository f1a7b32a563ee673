//! The clients of a server: how many aren't gone yet, and what the server does with each.
//!
//! A server doesn't know what it serves. It accepts, and hands the socket to streams or to protocols;
//! and because either of them can be asked to end the clients of one server, each client keeps a
//! [`Counted`], which says whose it is and that it's still there.

use std::cell::{Cell, RefCell};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use step06_tasks::{Future, Result};

use crate::event_loop::EventLoop;

/// How a server serves: by streams, or by protocols.
pub(crate) trait Serves {
    /// Begins to serve a client, whose socket is non-blocking. `counted` lives until its connection is
    /// lost.
    fn serve(&self, event_loop: &EventLoop, client: OwnedFd, counted: Counted) -> Result<()>;

    /// Returns those clients that aren't lost.
    fn open_connections(&self, event_loop: &EventLoop, of: &Rc<Clients>) -> Vec<Rc<dyn Client>>;
}

/// A connection, as its server sees it.
pub(crate) trait Client {
    /// Closes it once all is sent.
    fn close(self: Rc<Self>);
    /// Closes it, and drops what's unsent.
    fn abort(self: Rc<Self>);
}

/// Counts the connections of a server that aren't lost yet, for those who wait for the last one.
#[derive(Default)]
pub(crate) struct Clients {
    pub(super) count: Cell<usize>,
    /// No more will come.
    is_closed: Cell<bool>,
    waiting: RefCell<Vec<Future<()>>>,
}

/// One of the clients of a server, for as long as it lives.
pub(crate) struct Counted(Rc<Clients>);

impl Clients {
    pub(super) fn attach(self: &Rc<Self>) -> Counted {
        self.count.set(self.count.get() + 1);
        Counted(Rc::clone(self))
    }

    /// Returns true if the client is one of these.
    pub(crate) fn contains(self: &Rc<Self>, client: &Cell<Option<Counted>>) -> bool {
        let counted = client.take();
        let is_one = counted.as_ref().is_some_and(|Counted(clients)| Rc::ptr_eq(clients, self));
        client.set(counted);
        is_one
    }

    pub(super) fn close(&self) {
        self.is_closed.set(true);
        self.wake_if_done();
    }

    fn is_done(&self) -> bool {
        self.is_closed.get() && self.count.get() == 0
    }

    fn wake_if_done(&self) {
        if self.is_done() {
            for waiter in self.waiting.take() {
                // One that was cancelled waits no more.
                let _ = waiter.set_result(());
            }
        }
    }

    pub(super) async fn wait_until_done(&self, event_loop: &EventLoop) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let waiter = event_loop.create_future();
        self.add_waiter(waiter.clone());
        waiter.await
    }

    /// Adds a waiter, and removes those that have given up.
    fn add_waiter(&self, waiter: Future<()>) {
        let mut waiting = self.waiting.borrow_mut();
        waiting.retain(|other| other.is_shared() && !other.done());
        waiting.push(waiter);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.set(self.0.count.get() - 1);
        self.0.wake_if_done();
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn waits_for_the_last_client_that_were_dropped_are_not_kept() {
        let (clients, event_loop) = (Clients::default(), EventLoop::new().unwrap());
        for _ in 0..100 {
            let wait = pin!(clients.wait_until_done(&event_loop));
            assert!(wait.poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!(clients.waiting.borrow().len(), 1);
    }
}
