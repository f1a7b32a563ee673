//! What a loop knows of its transports: which of them are open.
//!
//! The loop doesn't keep them alive. A connection that's reading or sending is held by its callback;
//! one that does neither, and that nothing in the program holds either, is closed. (asyncio:
//! `_transports`, a `WeakValueDictionary`. It also refuses an `add_reader` for a descriptor in there;
//! here a transport owns its socket, so nothing else can name it.)

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use step03_selector::Table;

use super::transport::{Connection, Transport};
use crate::event_loop::EventLoop;

/// The open connections by descriptor.
#[derive(Default)]
pub(crate) struct OpenTransports {
    table: RefCell<Table<Weak<Connection>>>,
}

impl OpenTransports {
    pub(crate) fn of(event_loop: &EventLoop) -> Rc<Self> {
        event_loop.attached()
    }

    pub(crate) fn add(&self, index: u32, connection: &Rc<Connection>) {
        self.table.borrow_mut().insert(index, Rc::downgrade(connection));
    }

    pub(crate) fn remove(&self, index: u32) {
        // In a statement of its own: nothing is borrowed when it's dropped.
        let removed = self.table.borrow_mut().remove(index);
        drop(removed);
    }

    /// Returns all transports that are open.
    pub(crate) fn all(&self) -> Vec<Transport> {
        let table = self.table.borrow();
        table.iter().filter_map(Weak::upgrade).map(Transport::of).collect()
    }
}
