//! The part of a connection that streams and transports share: everything except reading.
//!
//! If no earlier bytes are unsent, a write is attempted at once. Bytes that the kernel doesn't take
//! go into the *outbox* and are sent when there's room. The upper layer (tasks or a protocol) is
//! paused when more than the high-water mark is unsent and resumed when no more than the low-water
//! mark is unsent. With a single mark, any byte could pause or resume the layer. asyncio's
//! `_FlowControlMixin` does the same.
//!
//! A connection ends in two steps. First it's *closing*: it receives nothing more but still sends
//! the unsent bytes, unless it was aborted or has failed. Then it's *lost*: the upper layer is
//! notified, with the error if there was one, and the socket is closed. A separate callback takes
//! the second step, because the code that closes a connection may be in the middle of other work.
//! But a closing connection that has just sent its last unsent byte is lost at once. asyncio's
//! `_SelectorSocketTransport` does the same.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::Rc;

use rustix::net::Shutdown;
use step01_fd::{CallError, Outbox};
use step06_tasks::{Error, Result};

use super::clients::{Counted, OpenConnection, OpenConnections};
use super::report::report;
use crate::{EventLoop, send_or_keep};

/// The upper layer of a connection: a stream, whose tasks ask for bytes, or a transport, which
/// calls its protocol. asyncio has a protocol in both cases.
pub(crate) trait UpperLayer: Sized + 'static {
    /// The type that holds the socket: an `AsyncFd` for a stream, a `StreamSocket` for a transport.
    type Socket: AsFd;

    /// Begins to wait for room, because the kernel didn't take all of a write. From then on, while
    /// bytes are unsent, the layer calls [`write_ready`](Connection::write_ready) whenever there's
    /// room.
    fn wait_for_room(connection: &Rc<Connection<Self>>);

    /// Stops waiting for room, because no unsent bytes are left.
    fn stop_waiting_for_room(_: &Rc<Connection<Self>>) {}

    /// Stops reading. [`close`](Connection::close) calls this method just before it sets
    /// `is_closing`; [`abort`](Connection::abort) and [`fail`](Connection::fail) call it just
    /// after.
    fn stop_reading(connection: &Rc<Connection<Self>>);

    /// Pauses writing, because more than the high-water mark is unsent.
    fn pause_writing(_: &Rc<Connection<Self>>) {}

    /// Resumes writing, because no more than the low-water mark is unsent.
    fn resume_writing(connection: &Rc<Connection<Self>>);

    /// Handles a write to a connection whose loss is already certain.
    fn written_in_vain(_: &Rc<Connection<Self>>) {}

    /// Notifies the layer that the connection is lost. If the layer doesn't close the socket
    /// itself, the socket is closed after this call.
    fn connection_lost(connection: &Rc<Connection<Self>>, error: Option<&Error>);

    /// Ends the layer because the loop is being closed. Returns the value that the caller has to
    /// drop, if any. By default, there's nothing to end or to drop.
    fn end_with_the_loop(_: &Connection<Self>) -> Option<Box<dyn Any>> {
        None
    }
}

/// A connection, shared by all its handles.
pub(crate) struct Connection<U: UpperLayer> {
    pub(crate) event_loop: EventLoop,
    /// `None` once the connection is lost.
    pub(crate) socket: RefCell<Option<U::Socket>>,
    pub(crate) upper: U,
    /// The bytes for which the kernel had no room. Once all of them are sent, their memory is
    /// freed.
    outbox: RefCell<Outbox>,
    /// The low-water mark and the high-water mark.
    water_marks: Cell<(usize, usize)>,
    writing_is_paused: Cell<bool>,
    /// True if `write_eof` was called before the connection was closing. From then on, writes fail.
    wrote_eof: Cell<bool>,
    /// True if the connection was closed or aborted or has failed, so it reads no more; asyncio's
    /// `_closing`.
    is_closing: Cell<bool>,
    /// True if the second step of closing is scheduled or done; asyncio's `_conn_lost`.
    will_be_lost: Cell<bool>,
    /// The connection's [`Counted`], if a server has accepted the connection.
    counted: Cell<Option<Counted>>,
}

/// The default high-water mark, in bytes, as in asyncio. The default low-water mark is a quarter of
/// it.
pub(crate) const HIGH_WATER: usize = 64 * 1024;

impl<U: UpperLayer> Connection<U> {
    /// Takes over a connected socket and adds the connection to the loop's table.
    pub(crate) fn new(
        event_loop: EventLoop,
        socket: U::Socket,
        counted: Option<Counted>,
        upper: U,
    ) -> Rc<Self> {
        let connection = Rc::new(Connection {
            event_loop,
            socket: RefCell::new(Some(socket)),
            upper,
            outbox: RefCell::default(),
            water_marks: Cell::new((HIGH_WATER / 4, HIGH_WATER)),
            writing_is_paused: Cell::default(),
            wrote_eof: Cell::default(),
            is_closing: Cell::default(),
            will_be_lost: Cell::default(),
            counted: Cell::new(counted),
        });
        if let Some(socket) = &*connection.socket.borrow() {
            let added = Rc::downgrade(&connection);
            connection.event_loop.attached::<OpenConnections>().add(socket, added);
        }
        connection
    }

    /// Sends as much of `bytes` as the kernel has room for and keeps the rest. While earlier bytes
    /// are unsent, keeps all of `bytes`. If the connection's loss is already certain, drops all of
    /// `bytes`. Fails after [`write_eof`](Connection::write_eof).
    pub(crate) fn write(self: &Rc<Self>, bytes: &[u8]) -> Result<()> {
        self.check_may_write("write")?;
        if bytes.is_empty() {
            return Ok(());
        }
        if self.will_be_lost() {
            U::written_in_vain(self);
        } else if self.unsent() > 0 {
            self.outbox.borrow_mut().push(bytes);
            self.pause_if_above();
        } else {
            self.try_to_send(bytes);
        }
        Ok(())
    }

    /// Sends all pieces, in order, as a single write.
    pub(crate) fn write_all_of<B: AsRef<[u8]>>(
        self: &Rc<Self>,
        pieces: impl IntoIterator<Item = B>,
    ) -> Result<()> {
        self.check_may_write("writelines")?;
        let mut joined = Vec::new();
        for piece in pieces {
            joined.extend_from_slice(piece.as_ref());
        }
        self.write(&joined)
    }

    fn check_may_write(&self, function: &str) -> Result<()> {
        if self.wrote_eof.get() {
            return Err(Error::other(format!("Cannot call {function}() after write_eof()")));
        }
        Ok(())
    }

    // ANCHOR: sending
    fn try_to_send(self: &Rc<Self>, bytes: &[u8]) {
        let sent =
            self.on_socket(|socket| send_or_keep(socket, &mut self.outbox.borrow_mut(), bytes));
        match sent {
            Ok(true) => {}
            Ok(false) => {
                U::wait_for_room(self);
                self.pause_if_above();
            }
            Err(error) => self.fail(error.into()),
        }
    }

    /// Sends the end of the stream once all bytes are sent. Does nothing if the connection is
    /// closing.
    pub(crate) fn write_eof(&self) -> Result<()> {
        if self.is_closing() || self.wrote_eof.replace(true) || self.unsent() > 0 {
            return Ok(());
        }
        Ok(self.shut_down()?)
    }

    fn shut_down(&self) -> io::Result<()> {
        self.on_socket(|socket| {
            let call = || format!("shutdown SHUT_WR fd {}", socket.as_fd().as_raw_fd());
            rustix::net::shutdown(socket, Shutdown::Write)
                .map_err(|error| CallError::wrap(call(), error.into()))
        })
    }
    // ANCHOR_END: sending

    // ANCHOR: write_ready
    /// Sends as many of the unsent bytes as the kernel has room for and then takes whichever of
    /// these steps are due: resuming the upper layer's writing, ending a connection that was
    /// closed, and sending the end of the stream after `write_eof`. While bytes are unsent, this
    /// method is called whenever the kernel reports room.
    ///
    /// - If not a single byte could be sent, nothing else happens (`last_calls_of_a_transport`).
    /// - If writing is paused, it's resumed as soon as no more than the low-water mark is unsent,
    ///   before anything else happens. A protocol that resumes can write more and be paused again,
    ///   or it can close or abort the connection (`a_protocol_and_its_marks`,
    ///   `last_bytes_of_a_transport`).
    /// - Once no bytes are unsent, the outbox keeps no memory (`transports_that_have_sent_all`),
    ///   and the loop no longer waits for room (`last_bytes_of_a_transport`).
    /// - A closing connection is lost in the tick in which its last byte is sent, without an error
    ///   (`last_bytes_of_a_transport`). If the protocol, when it resumes, closes the connection,
    ///   aborts it or makes it fail, the end is already scheduled, and `connection_lost` does
    ///   nothing.
    /// - After `write_eof`, the end of the stream is sent, unless the connection is closing: then
    ///   the close sends it. If the kernel refuses to send the end, its error is reported as an
    ///   `Exception in callback` (`last_calls_of_a_transport`).
    /// - If sending fails, even after a part was sent, the connection ends with that error, and
    ///   writing isn't resumed (`last_calls_of_a_transport`).
    pub(crate) fn write_ready(self: &Rc<Self>) {
        let before = self.unsent();
        let sent = self.on_socket(|socket| self.outbox.borrow_mut().flush(socket));
        if let Err(error) = sent {
            return self.fail(error.into());
        }
        if self.unsent() == before {
            return;
        }
        let (low, _) = self.water_marks();
        // Clear the flag first, because `resume_writing` runs a protocol's code.
        if self.unsent() <= low && self.writing_is_paused.replace(false) {
            U::resume_writing(self);
        }
        if self.unsent() > 0 {
            return;
        }
        self.forget_unsent();
        if self.is_closing() {
            self.connection_lost(None);
        } else if self.wrote_eof.get()
            && let Err(error) = self.shut_down()
        {
            report(&self.event_loop, "Exception in callback", error);
        }
    }
    // ANCHOR_END: write_ready

    // ANCHOR: unsent
    /// Drops the unsent bytes, frees their memory, and stops waiting for room.
    fn forget_unsent(self: &Rc<Self>) {
        self.outbox.take();
        U::stop_waiting_for_room(self);
    }

    /// Returns the number of unsent bytes. Bytes that the kernel has taken count as sent.
    pub(crate) fn unsent(&self) -> usize {
        self.outbox.borrow().len()
    }
    // ANCHOR_END: unsent

    /// Returns the low-water mark and the high-water mark.
    pub(crate) fn water_marks(&self) -> (usize, usize) {
        self.water_marks.get()
    }

    /// Sets the water marks. If more than the new high-water mark is unsent, writing is paused at
    /// once. Even a higher low-water mark resumes paused writing only when further bytes have been
    /// sent, as in asyncio. Fails if `low` is above `high`.
    pub(crate) fn set_water_marks(self: &Rc<Self>, low: usize, high: usize) -> Result<()> {
        if low > high {
            return Err(Error::other(format!("high ({high}) must be >= low ({low}) must be >= 0")));
        }
        self.water_marks.set((low, high));
        self.pause_if_above();
        Ok(())
    }

    pub(crate) fn writing_is_paused(&self) -> bool {
        self.writing_is_paused.get()
    }

    // ANCHOR: pausing
    fn pause_if_above(self: &Rc<Self>) {
        let (_, high) = self.water_marks();
        if self.unsent() > high && !self.writing_is_paused.replace(true) {
            U::pause_writing(self);
        }
    }
    // ANCHOR_END: pausing

    /// Passes the socket to `call`, which mustn't run any of the program's code, because the socket
    /// stays borrowed during the call. Fails if the connection is lost.
    pub(crate) fn on_socket<T>(
        &self,
        call: impl FnOnce(&U::Socket) -> io::Result<T>,
    ) -> io::Result<T> {
        match &*self.socket.borrow() {
            Some(socket) => call(socket),
            None => Err(io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")),
        }
    }
}

/// A method that queries the socket, for example for an address.
impl<U: UpperLayer> Connection<U> {
    /// Makes a call with the socket. If the connection is lost, fails with an error that names the
    /// call.
    pub(crate) fn ask<T>(
        &self,
        call: &str,
        ask: impl FnOnce(&U::Socket) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_lost() {
            let why = io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
            return Err(CallError::wrap(call, why));
        }
        self.on_socket(ask)
    }
}

/// The methods that end a connection or tell whether it has ended.
impl<U: UpperLayer> Connection<U> {
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.get()
    }

    /// Returns true if the connection's loss is certain, so no more bytes can be sent.
    pub(crate) fn will_be_lost(&self) -> bool {
        self.will_be_lost.get()
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.socket.borrow().is_none()
    }

    /// Closes the connection once all bytes are sent. Closing a connection twice is fine.
    pub(crate) fn close(self: &Rc<Self>) {
        if self.is_closing() {
            return;
        }
        U::stop_reading(self);
        self.is_closing.set(true);
        if self.unsent() == 0 {
            self.forget_unsent();
            self.lose_soon(None);
        }
    }

    /// Closes the connection and drops the unsent bytes.
    pub(crate) fn abort(self: &Rc<Self>) {
        self.force_close(None);
    }

    /// Ends the connection with an error.
    pub(crate) fn fail(self: &Rc<Self>, error: Error) {
        self.force_close(Some(error));
    }

    fn force_close(self: &Rc<Self>, error: Option<Error>) {
        if self.will_be_lost() {
            return;
        }
        self.forget_unsent();
        if !self.is_closing.replace(true) {
            U::stop_reading(self);
        }
        self.lose_soon(error);
    }

    fn lose_soon(self: &Rc<Self>, error: Option<Error>) {
        // A closed loop has dropped everything that could be notified of the loss.
        if !self.will_be_lost.replace(true) && !self.event_loop.is_closed() {
            let connection = Rc::clone(self);
            self.event_loop.call_soon(move || connection.call_connection_lost(error.as_ref()));
        }
    }

    // ANCHOR: connection_lost
    /// Ends the connection at once, unless its end is already scheduled because the upper layer has
    /// closed the connection, aborted it or made it fail while resuming. In that case, the
    /// scheduled callback passes on the error, if any. CPython has had this check since 2026
    /// (gh-156512).
    fn connection_lost(self: &Rc<Self>, error: Option<&Error>) {
        if !self.will_be_lost.replace(true) {
            self.call_connection_lost(error);
        }
    }
    // ANCHOR_END: connection_lost

    /// Notifies the upper layer of the loss and closes the socket; asyncio's
    /// `_call_connection_lost`. Bytes that the upper layer writes while it's notified are dropped.
    fn call_connection_lost(self: &Rc<Self>, error: Option<&Error>) {
        U::connection_lost(self, error);
        self.forget();
    }

    /// Closes the socket without notifying the upper layer.
    pub(crate) fn forget(&self) {
        self.is_closing.set(true);
        self.will_be_lost.set(true);
        self.close_socket();
        drop(self.counted.take());
    }

    pub(crate) fn close_socket(&self) {
        let socket = self.socket.take();
        if let Some(socket) = socket {
            self.event_loop.attached::<OpenConnections>().remove(&socket);
        }
    }
}

/// Closes the socket once the last handle is dropped. By then the loop has no callback left for the
/// connection, so only the table's entry has to be removed.
impl<U: UpperLayer> Drop for Connection<U> {
    fn drop(&mut self) {
        self.close_socket();
    }
}

impl<U: UpperLayer> OpenConnection for Connection<U> {
    fn close(self: Rc<Self>) {
        Connection::close(&self);
    }

    fn abort(self: Rc<Self>) {
        Connection::abort(&self);
    }

    fn counted(&self) -> &Cell<Option<Counted>> {
        &self.counted
    }

    fn end_with_the_loop(&self) -> Option<Box<dyn Any>> {
        U::end_with_the_loop(self)
    }
}
