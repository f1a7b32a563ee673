//! The open connections of a loop, by descriptor: one table for its streams, and one for its
//! transports.
//!
//! A table doesn't keep them alive. It's for those who have to find them: a server that ends its
//! clients, and a loop that ends its transports. (asyncio: `_transports`, a `WeakValueDictionary`, and
//! the server's `_clients`, a `WeakSet`. asyncio also refuses an `add_reader` for a descriptor in there;
//! here a connection owns its socket, so nothing else can name it.)

use std::cell::RefCell;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::{Rc, Weak};

use step03_selector::Table;

/// The connections of one kind.
pub(crate) struct OpenConnections<C>(RefCell<Table<Weak<C>>>);

impl<C> OpenConnections<C> {
    pub(crate) fn add(&self, socket: impl AsFd, connection: &Rc<C>) {
        let added = Rc::downgrade(connection);
        self.0.borrow_mut().insert(index(socket), added);
    }

    /// Forgets a connection, before its socket is closed.
    pub(crate) fn remove(&self, socket: impl AsFd) {
        // In a statement of its own: nothing is borrowed when it's dropped.
        let removed = self.0.borrow_mut().remove(index(socket));
        drop(removed);
    }

    /// Returns all that are open.
    pub(crate) fn all(&self) -> Vec<Rc<C>> {
        self.0.borrow().iter().filter_map(Weak::upgrade).collect()
    }
}

impl<C> Default for OpenConnections<C> {
    fn default() -> Self {
        OpenConnections(RefCell::default())
    }
}

/// Returns a descriptor as an index, for the table.
fn index(socket: impl AsFd) -> u32 {
    socket.as_fd().as_raw_fd().unsigned_abs()
}
