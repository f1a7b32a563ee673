//! The connections of a server and all open connections of a loop.
//!
//! A server doesn't keep its connections alive, but it can wait until its last connection has
//! ended, and a program can ask the server to end them all. So each of the server's connections
//! keeps a [`Counted`], which identifies the server, until the connection is lost.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::os::fd::{AsFd, AsRawFd};
use std::rc::{Rc, Weak};

use step03_selector::Table;
use step06_tasks::{ReadyQueue, Result};

use crate::wait_list::WaitList;
use crate::{ClosesWithTheLoop, EventLoop};

/// The methods that a server and a loop call on an open connection.
pub(crate) trait OpenConnection {
    /// Closes the connection once all bytes are sent.
    fn close(self: Rc<Self>);
    /// Closes the connection and drops the unsent bytes.
    fn abort(self: Rc<Self>);
    /// Returns the cell for the connection's [`Counted`]. The cell is empty if no server has
    /// accepted the connection.
    fn counted(&self) -> &Cell<Option<Counted>>;
    /// Lets the upper layer end along with the loop. Returns the value that the caller has to drop,
    /// such as a protocol, if any.
    fn end_with_the_loop(&self) -> Option<Box<dyn Any>>;
}

/// Counts a server's connections, each until it's lost. Wakes the waiting tasks once the server is
/// closed and no connection is left.
#[derive(Default)]
pub(crate) struct ClientCount {
    pub(super) count: Cell<usize>,
    /// True if the server accepts no more connections.
    is_closed: Cell<bool>,
    waiting: RefCell<WaitList<()>>,
}

/// Counts one client of a server for as long as this value exists.
pub(crate) struct Counted(Rc<ClientCount>);

impl ClientCount {
    pub(super) fn attach(self: &Rc<Self>) -> Counted {
        self.count.set(self.count.get() + 1);
        Counted(Rc::clone(self))
    }

    /// Returns true if the client belongs to this server.
    fn contains(self: &Rc<Self>, client: &Cell<Option<Counted>>) -> bool {
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
            // The borrow ends here, since a waker can run any code.
            let waiting = self.waiting.borrow_mut().take();
            for waiter in waiting {
                // A cancelled waiter is already done.
                let _ = waiter.set_result(());
            }
        }
    }

    pub(super) async fn wait_until_done(&self, event_loop: &EventLoop) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let waiter = self.waiting.borrow_mut().add(event_loop);
        waiter.await
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.set(self.0.count.get() - 1);
        self.0.wake_if_done();
    }
}

/// The open connections of a loop, by descriptor.
///
/// The table doesn't keep the connections alive. A server looks up its connections in the table to
/// end them, and a loop that's being closed looks up all its connections. asyncio keeps one
/// collection per loop, the `WeakValueDictionary` `_transports`, and, since 3.13, one per server,
/// the `WeakSet` `_clients`. asyncio also refuses an `add_reader` for a descriptor in
/// `_transports`. Here a connection owns its socket, so no other code can pass the socket to
/// `add_reader`.
#[derive(Default)]
pub(crate) struct OpenConnections(RefCell<Table<Weak<dyn OpenConnection>>>);

impl OpenConnections {
    pub(super) fn add(&self, socket: impl AsFd, connection: Weak<dyn OpenConnection>) {
        self.0.borrow_mut().insert(index(socket), connection);
    }

    /// Removes a connection from the table. Call this method before the connection's socket is
    /// closed.
    pub(super) fn remove(&self, socket: impl AsFd) {
        // The borrow ends here, so nothing is borrowed during the drop.
        let removed = self.0.borrow_mut().remove(index(socket));
        drop(removed);
    }

    fn all(&self) -> Vec<Rc<dyn OpenConnection>> {
        self.0.borrow().iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the open connections that a server has accepted.
    pub(super) fn clients_of(&self, server: &Rc<ClientCount>) -> Vec<Rc<dyn OpenConnection>> {
        let mut open = self.all();
        open.retain(|client| server.contains(client.counted()));
        open
    }
}

impl ClosesWithTheLoop for OpenConnections {
    /// Ends all transports and then drops their protocols, since a protocol that holds its
    /// transport would otherwise never be dropped. All transports are ended first because a
    /// protocol's destructor can use any of them. The streams stay as they are, since they have no
    /// protocol.
    fn close(&self, queue: &ReadyQueue) {
        let left: Vec<_> = self.all().iter().map(|client| client.end_with_the_loop()).collect();
        for left in left {
            queue.discard(left);
        }
    }
}

/// Converts a descriptor into an index of the table.
fn index(socket: impl AsFd) -> u32 {
    socket.as_fd().as_raw_fd().unsigned_abs()
}
