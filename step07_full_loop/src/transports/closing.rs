//! How a connection ends: closed when all is sent, aborted at once, or with an error.
//!
//! However it ends, `connection_lost` is called once, and the socket is closed after it. It's called
//! by a callback of its own, because who closes a connection may be in the middle of something; only
//! when the last unsent byte of a closing connection is sent is it called right there.

use std::rc::Rc;

use step06_tasks::{Error, ReadyQueue};

use super::transport::OpenTransports;
use super::{Protocol, Transport};
use crate::event_loop::ClosesWithTheLoop;

impl Transport {
    /// Closes the connection: reads no more, sends what's unsent, and then calls `connection_lost`
    /// without an error. Closing it twice is fine.
    pub fn close(&self) {
        if self.connection.is_closing.replace(true) {
            return;
        }
        self.remove_reader();
        if self.get_write_buffer_size() == 0 {
            self.forget_unsent();
            self.lose(None);
        }
    }

    /// Closes the connection without sending what's unsent.
    pub fn abort(&self) {
        self.force_close(None);
    }

    /// Returns true if the connection is closing or closed.
    pub fn is_closing(&self) -> bool {
        self.connection.is_closing.get()
    }

    /// Ends the connection with an error, which is reported unless it's the system's: connections
    /// break, and that isn't the program's fault.
    pub(super) fn fatal_error(&self, error: Error, message: &str) {
        if !matches!(error, Error::Io(_)) {
            self.report(message, error.clone());
        }
        self.force_close(Some(error));
    }

    fn force_close(&self, error: Option<Error>) {
        if self.connection.lost.get() > 0 {
            return;
        }
        self.forget_unsent();
        if !self.connection.is_closing.replace(true) {
            self.remove_reader();
        }
        self.lose(error);
    }

    /// Schedules the end.
    fn lose(&self, error: Option<Error>) {
        self.connection.lost.set(self.connection.lost.get() + 1);
        let transport = self.clone();
        self.event_loop().call_soon(move || transport.connection_lost(error.as_ref()));
    }

    /// Calls `connection_lost`, and gives back all that the connection has. It can be called a second
    /// time, if `resume_writing` has closed the connection that was closing; and then does nothing.
    pub(super) fn connection_lost(&self, error: Option<&Error>) {
        let protocol = self.connection.protocol.take();
        let Some(protocol) = protocol else { return };
        let lost = Transport::call_and_drop(protocol, |protocol| protocol.connection_lost(error));
        if let Err(error) = lost {
            self.report("Exception in callback", error);
        }
        self.connection.lost.set(self.connection.lost.get().max(1));
        self.close_socket();
    }

    fn close_socket(&self) {
        let socket = self.connection.socket.take();
        if let Some(socket) = socket {
            self.event_loop().attached::<OpenTransports>().remove(&socket);
        }
        drop(self.connection.counted.take());
    }

    /// Ends the connection without a call, for a loop that closes. Returns its protocol.
    fn forget(&self) -> Option<Rc<dyn Protocol>> {
        self.connection.is_closing.set(true);
        self.connection.lost.set(self.connection.lost.get().max(1));
        self.close_socket();
        self.connection.protocol.take()
    }
}

impl ClosesWithTheLoop for OpenTransports {
    /// Closes all connections. A protocol can hold its transport, so it's dropped here; and as its
    /// destructor can use any other, first of all every one of them is ended.
    fn close(&self, queue: &ReadyQueue) {
        let open = self.all().into_iter().map(Transport::of);
        let protocols: Vec<_> = open.map(|transport| transport.forget()).collect();
        for protocol in protocols {
            queue.discard(protocol);
        }
    }
}
