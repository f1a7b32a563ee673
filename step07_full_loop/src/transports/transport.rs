//! A transport: a handle to a connection, whose state all handles share.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use step01_fd::Outbox;
use step06_tasks::{Error, Future};

use super::flow_control::FlowControl;
use super::{Protocol, StreamSocket};
use crate::event_loop::EventLoop;
use crate::net::{Counted, OpenConnections};

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
/// use step07_full_loop::{Protocol, Result, Transport, get_running_loop, run, yield_now};
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
/// # Ok::<(), step07_full_loop::LoopError>(())
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
    ) -> Result<T, Error> {
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
