//! A transport: a handle to a connection, whose state all handles share.
//!
//! A protocol is the program's own code: it can fail or panic, and use its transport meanwhile. So
//! nothing is borrowed while it's called, and what goes wrong has an end here.
//!
//! However a connection ends, `connection_lost` is called once, and the socket is closed after it. It's
//! called by a callback of its own, because who closes a connection may be in the middle of something;
//! only when the last unsent byte of a closing connection is sent is it called right there.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::{fmt, io};

use step01_fd::{Outbox, Read};
use step06_tasks::{Error, ExceptionContext, Future, ReadyQueue, Result};

use super::writing::FlowControl;
use super::{Protocol, StreamSocket};
use crate::net::{Counted, OpenConnections};
use crate::{ClosesWithTheLoop, EventLoop, recv};

/// A connection, as its protocol uses it; asyncio's `Transport`.
///
/// A clone is another handle to the same connection. It lives until it's closed or aborted, or the
/// other side ends it; dropping a handle doesn't end it, as long as the loop reads or sends on it. One
/// whose reading is paused, with nothing to send, and without any handle, can do nothing any more, and
/// is closed.
///
/// When the loop is closed, so are its connections, without another call of their protocols. From
/// then on, as after `connection_lost`, the methods do nothing.
///
/// ```
/// use std::os::unix::net::UnixStream;
/// use asyncio::{EventLoopExt as _, Protocol, Result, Transport, get_running_loop, run, yield_now};
///
/// struct Greeter;
///
/// impl Protocol for Greeter {
///     fn data_received(&self, transport: &Transport, name: &[u8]) -> Result<()> {
///         transport.writelines(&[b"hello ", name])?;
///         transport.close();
///         Ok(())
///     }
/// }
///
/// let (ours, theirs) = UnixStream::pair()?;
/// std::io::Write::write_all(&mut &theirs, b"world")?;
/// run(async move {
///     let event_loop = get_running_loop()?;
///     let (transport, _) = event_loop.connect_accepted_socket(|| Greeter, ours).await?;
///     while !transport.is_closing() {
///         yield_now().await?;
///     }
///     Ok(())
/// })?;
/// assert_eq!(std::io::read_to_string(&theirs)?, "hello world");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Clone)]
pub struct Transport {
    pub(super) connection: Rc<Connection>,
}

/// The state of a connection.
pub(crate) struct Connection {
    pub(super) event_loop: EventLoop,
    /// Gone once the connection is lost.
    pub(super) socket: RefCell<Option<StreamSocket>>,
    /// Gone once the connection is lost.
    pub(super) protocol: RefCell<Option<Rc<dyn Protocol>>>,
    /// What there was no room for. An idle connection has none, and no memory for it.
    pub(super) outbox: RefCell<Outbox>,
    pub(super) flow_control: FlowControl,
    /// It was closed, or something went wrong: it reads no more. (asyncio: `_closing`)
    pub(super) is_closing: Cell<bool>,
    /// Reading is paused.
    pub(super) is_paused: Cell<bool>,
    /// `write_eof` was called.
    pub(super) wrote_eof: Cell<bool>,
    /// Counts from the moment when `connection_lost` is scheduled: that, and what's written in vain
    /// after it. (asyncio: `_conn_lost`)
    pub(super) lost: Cell<u32>,
    pub(super) peer: Option<SocketAddr>,
    /// Its place among the clients of the server that has accepted it.
    pub(super) counted: Cell<Option<Counted>>,
}

/// The open connections of a loop that are transports.
pub(super) type OpenTransports = OpenConnections<Connection>;

/// What a connection is made of.
pub(super) struct Parts {
    pub(super) socket: StreamSocket,
    pub(super) protocol: Rc<dyn Protocol>,
    pub(super) counted: Option<Counted>,
}

impl Transport {
    pub(super) fn of(connection: Rc<Connection>) -> Self {
        Transport { connection }
    }

    /// Makes a connection, and schedules its beginning: `connection_made`; then the reading, so that
    /// nothing arrives before that; then `made`, for the coroutine that waits for it.
    pub(super) fn begin(
        event_loop: &EventLoop,
        parts: Parts,
        made: Future<()>,
    ) -> io::Result<Transport> {
        parts.socket.prepare()?;
        let transport = Transport::new(event_loop, parts);
        let (first, second) = (transport.clone(), transport.clone());
        event_loop.call_soon(move || first.connection_made());
        event_loop.call_soon(move || second.add_reader());
        event_loop.call_soon(move || {
            if !made.done() {
                let _ = made.set_result(());
            }
        });
        Ok(transport)
    }

    fn new(event_loop: &EventLoop, parts: Parts) -> Self {
        let connection = Rc::new(Connection {
            event_loop: event_loop.clone(),
            peer: parts.socket.peer_addr(),
            socket: RefCell::new(Some(parts.socket)),
            protocol: RefCell::new(Some(parts.protocol)),
            outbox: RefCell::default(),
            flow_control: FlowControl::default(),
            is_closing: Cell::default(),
            is_paused: Cell::default(),
            wrote_eof: Cell::default(),
            lost: Cell::default(),
            counted: Cell::new(parts.counted),
        });
        let transport = Transport::of(connection);
        if let Some(socket) = &*transport.connection.socket.borrow() {
            event_loop.attached::<OpenTransports>().add(socket, &transport.connection);
        }
        transport
    }

    fn connection_made(&self) {
        self.call_unless_lost(|protocol| protocol.connection_made(self));
    }

    /// Returns the address of the other side, as it was when the connection was made. A UNIX socket
    /// has none.
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.connection.peer
    }

    /// Returns the address of this side. A UNIX socket has none, nor has a connection that's lost
    /// (asyncio still tells it then).
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.connection.socket.borrow().as_ref().and_then(StreamSocket::local_addr)
    }

    /// Runs a system call on the socket. No code of the program runs meanwhile.
    pub(super) fn on_socket<T>(
        &self,
        call: impl FnOnce(&StreamSocket) -> io::Result<T>,
    ) -> Result<T> {
        match &*self.connection.socket.borrow() {
            Some(socket) => Ok(call(socket)?),
            None => Err(Error::other("the connection is lost")),
        }
    }

    pub(super) fn event_loop(&self) -> &EventLoop {
        &self.connection.event_loop
    }
}

/// A connection that nothing refers to any more: no callback of the loop is left, so only the table has
/// to forget it.
impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(socket) = self.socket.get_mut() {
            self.event_loop.attached::<OpenTransports>().remove(socket);
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("socket", &*self.connection.socket.borrow())
            .field("closing", &self.is_closing())
            .field("unsent", &self.get_write_buffer_size())
            .finish_non_exhaustive()
    }
}

impl Transport {
    /// Calls a method of the protocol. Its panic is an error like any other.
    pub(super) fn call<T: Default>(
        &self,
        method: impl FnOnce(&dyn Protocol) -> Result<T>,
    ) -> Result<T> {
        let protocol = self.connection.protocol.borrow().clone();
        match protocol {
            Some(protocol) => Transport::call_and_drop(protocol, method),
            None => Ok(T::default()),
        }
    }

    /// Calls a method by a callback. If it fails, so does the callback, and the connection goes on.
    pub(super) fn call_unless_lost(&self, method: impl FnOnce(&dyn Protocol) -> Result<()>) {
        if let Err(error) = self.call(method) {
            self.report("Exception in callback", error);
        }
    }

    pub(super) fn report(&self, message: &str, error: Error) {
        let context = ExceptionContext::new(message).with_exception(error);
        self.event_loop().call_exception_handler(&context);
    }

    /// Calls a method, and drops the handle to the protocol, which can be the last one: a panic of its
    /// destructor is an error, too.
    pub(super) fn call_and_drop<T>(
        protocol: Rc<dyn Protocol>,
        method: impl FnOnce(&dyn Protocol) -> Result<T>,
    ) -> Result<T> {
        let call = AssertUnwindSafe(move || method(&*protocol));
        catch_unwind(call).unwrap_or_else(|payload| Err(Error::from_panic(payload)))
    }
}

impl Transport {
    /// Stops reading: nothing is received until it's resumed. What has arrived waits in the kernel,
    /// and when there's no more room, the other side waits too. If it's closing or paused already,
    /// does nothing.
    pub fn pause_reading(&self) {
        if self.is_reading() {
            self.connection.is_paused.set(true);
            self.remove_reader();
        }
    }

    /// Reads again. Does nothing if it isn't paused, or is closing.
    pub fn resume_reading(&self) {
        if !self.is_closing() && self.connection.is_paused.replace(false) {
            self.add_reader();
        }
    }

    /// Returns true if it's neither paused nor closing. (As in asyncio, the other side's end makes no
    /// difference.)
    pub fn is_reading(&self) -> bool {
        !self.is_closing() && !self.connection.is_paused.get()
    }

    /// Registers the reader, unless reading was paused or the connection closed before it began.
    pub(super) fn add_reader(&self) {
        if !self.is_reading() {
            return;
        }
        let reader = self.clone();
        let added =
            self.on_socket(|fd| self.event_loop().add_reader(fd, move || reader.read_ready()));
        if let Err(error) = added {
            self.fatal_error(error, "Fatal error on transport");
        }
    }

    pub(super) fn remove_reader(&self) {
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.on_socket(|fd| self.event_loop().remove_reader(fd));
    }

    /// Reads once, into the loop's buffer. If there's more, the loop calls again in the next tick,
    /// after the others.
    fn read_ready(&self) {
        if self.connection.lost.get() > 0 {
            return;
        }
        // It's lent until the protocol has seen the bytes.
        let mut scratch = self.event_loop().scratch(usize::MAX);
        match self.on_socket(|socket| recv(socket, &mut scratch)) {
            Ok(Read::Bytes(count)) => self.data_received(&scratch[..count]),
            Ok(Read::End) => self.eof_received(),
            Ok(Read::WouldBlock) => {}
            Err(error) => self.fatal_error(error, "Fatal read error on socket transport"),
        }
    }

    fn data_received(&self, data: &[u8]) {
        let received: Result<()> = self.call(|protocol| protocol.data_received(self, data));
        if let Err(error) = received {
            self.fatal_error(error, "Fatal error: protocol.data_received() call failed.");
        }
    }

    fn eof_received(&self) {
        match self.call(|protocol| protocol.eof_received(self)) {
            // It can still write, but there's nothing left to read: the end would be reported forever.
            Ok(true) => self.remove_reader(),
            Ok(false) => self.close(),
            Err(error) => {
                self.fatal_error(error, "Fatal error: protocol.eof_received() call failed.");
            }
        }
    }
}

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
