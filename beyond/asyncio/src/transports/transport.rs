//! A transport: a handle to a connection that calls a protocol.
//!
//! A protocol is the program's own code: it can fail or panic, and it can use its transport during
//! a call. So no cell of the connection is borrowed while the transport calls the protocol, and the
//! transport catches the protocol's errors and panics.
//!
//! Whether a connection fails, is closed, or is aborted, `connection_lost` is called once, and then
//! the socket is closed. If the loop is closed first, the socket is closed without that call.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::{fmt, io};

use step01_fd::Read;
use step06_tasks::{Error, ExceptionContext, Future, Result};

use super::{Protocol, StreamSocket};
use crate::net::{Connection, Counted, HIGH_WATER, UpperLayer, local_addr, peer_addr, report};
use crate::{EventLoop, recv};

/// The handle through which a protocol uses its connection; asyncio's `Transport`.
///
/// A clone is another handle to the same connection. The connection lives until it's closed or
/// aborted, until it fails, or until the other side ends its stream and `eof_received` returns
/// false. Dropping a handle doesn't end a connection for which the loop still reads or sends bytes.
/// If reading is paused or the stream has ended, no bytes are unsent, and no handle is left, the
/// connection can never do anything again, so its socket is closed, without a call to
/// `connection_lost`.
///
/// When the loop is closed, its connections are closed, too, without another call to their
/// protocols. After that, as after `connection_lost`, a transport sends and receives nothing.
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
    connection: Rc<TransportConnection>,
}

type TransportConnection = Connection<ProtocolCaller>;

/// The upper layer of a transport's connection, which calls the protocol.
pub(super) struct ProtocolCaller {
    /// `None` once the connection is lost.
    protocol: RefCell<Option<Rc<dyn Protocol>>>,
    reading_is_paused: Cell<bool>,
    /// Starts at 1, for the connection's loss, and counts each write once the loss is certain.
    written_in_vain: Cell<u32>,
    peer: Option<SocketAddr>,
}

impl Transport {
    /// Makes a connection and schedules three callbacks, in this order: `connection_made`, the
    /// start of reading, and a callback that finishes `made`. So no bytes are received before
    /// `connection_made` is called.
    pub(super) fn begin(
        event_loop: &EventLoop,
        protocol: Rc<dyn Protocol>,
        socket: StreamSocket,
        counted: Option<Counted>,
        made: Future<()>,
    ) -> io::Result<Transport> {
        socket.prepare()?;
        let transport = Transport::new(event_loop.clone(), protocol, socket, counted);
        let (first, second) = (transport.clone(), transport.clone());
        event_loop.call_soon(move || {
            first.call_or_report("Exception in callback", |it| it.connection_made(&first));
        });
        event_loop.call_soon(move || second.add_reader());
        event_loop.call_soon(move || {
            if !made.done() {
                let _ = made.set_result(());
            }
        });
        Ok(transport)
    }

    fn new(
        event_loop: EventLoop,
        protocol: Rc<dyn Protocol>,
        socket: StreamSocket,
        counted: Option<Counted>,
    ) -> Self {
        let upper = ProtocolCaller {
            protocol: RefCell::new(Some(protocol)),
            reading_is_paused: Cell::default(),
            written_in_vain: Cell::new(1),
            peer: peer_addr(&socket).ok(),
        };
        Transport { connection: Connection::new(event_loop, socket, counted, upper) }
    }

    fn of(connection: &Rc<TransportConnection>) -> Self {
        Transport { connection: Rc::clone(connection) }
    }

    /// Returns the IP address of the other side, as it was when the transport was made, or `None`
    /// for a Unix socket or a connection that had already been reset.
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.connection.upper.peer
    }

    /// Returns the IP address of this side, or `None` for a Unix socket. Once the connection is
    /// lost, returns `None`, whereas asyncio still returns the address.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.connection.on_socket(|socket| local_addr(socket)).ok()
    }

    fn event_loop(&self) -> &EventLoop {
        &self.connection.event_loop
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
    /// Sends `data`. Never waits: bytes that the kernel doesn't take now are kept and sent when
    /// there's room.
    ///
    /// If no earlier bytes are unsent, the transport tries to send at once. If sending fails, the
    /// connection ends with that error, but the call doesn't fail. Once the connection's loss is
    /// certain, the bytes are dropped, and the exception handler gets a report if the protocol
    /// keeps writing.
    ///
    /// # Errors
    ///
    /// Fails after [`write_eof`](Transport::write_eof).
    pub fn write(&self, data: &[u8]) -> Result<()> {
        self.connection.write(data)
    }

    /// Sends all of `pieces`, in order, as one [`write`](Transport::write).
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Transport::write) does.
    pub fn writelines(&self, pieces: &[&[u8]]) -> Result<()> {
        self.connection.write_all_of(pieces)
    }

    /// Sends the end of the stream once all bytes are sent. Reading continues. Does nothing if the
    /// connection is closing.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the kernel refuses the call, for example because the other side
    /// has reset the connection.
    pub fn write_eof(&self) -> Result<()> {
        self.connection.write_eof()
    }

    /// Returns true: every stream socket can shut down one direction. asyncio's TLS transports
    /// can't.
    pub fn can_write_eof(&self) -> bool {
        true
    }

    /// Sets the water marks, in bytes. Without `low`, the low-water mark is a quarter of the
    /// high-water mark. Without `high`, the high-water mark is four times the low-water mark.
    /// Without either, the marks are asyncio's: 64 KiB and 16 KiB.
    ///
    /// If both marks are zero, the protocol is paused whenever bytes are unsent. If more than the
    /// new high-water mark is unsent, the protocol is paused at once.
    ///
    /// # Errors
    ///
    /// Fails if the low-water mark is above the high-water mark.
    pub fn set_write_buffer_limits(&self, high: Option<usize>, low: Option<usize>) -> Result<()> {
        let high = high.unwrap_or_else(|| low.map_or(HIGH_WATER, |low| low.saturating_mul(4)));
        self.connection.set_water_marks(low.unwrap_or(high / 4), high)
    }

    /// Returns the low-water mark and the high-water mark.
    pub fn get_write_buffer_limits(&self) -> (usize, usize) {
        self.connection.water_marks()
    }

    /// Returns the number of unsent bytes. Bytes that the kernel has taken count as sent.
    pub fn get_write_buffer_size(&self) -> usize {
        self.connection.unsent()
    }

    /// Closes the connection: reads no more, sends the unsent bytes, and then calls
    /// `connection_lost`, without an error unless the sending fails. Closing a connection twice is
    /// fine.
    pub fn close(&self) {
        self.connection.close();
    }

    /// Closes the connection without sending the unsent bytes.
    pub fn abort(&self) {
        self.connection.abort();
    }

    /// Returns true if the connection is closing or closed.
    pub fn is_closing(&self) -> bool {
        self.connection.is_closing()
    }

    /// Ends the connection with an error. Reports the error unless it comes from the system: a
    /// broken connection isn't the program's fault.
    fn fatal_error(&self, error: Error, message: &str) {
        if !matches!(error, Error::Io(_)) {
            report(self.event_loop(), message, error.clone());
        }
        self.connection.fail(error);
    }
}

impl Transport {
    /// Stops reading until [`resume_reading`](Transport::resume_reading) is called. Arriving bytes
    /// wait in the kernel, and when there's no more room, the other side waits, too. Does nothing
    /// if reading is already paused or the connection is closing.
    pub fn pause_reading(&self) {
        if self.is_reading() {
            self.connection.upper.reading_is_paused.set(true);
            ProtocolCaller::stop_reading(&self.connection);
        }
    }

    /// Resumes reading. Does nothing if reading isn't paused or the connection is closing.
    pub fn resume_reading(&self) {
        if !self.is_closing() && self.connection.upper.reading_is_paused.replace(false) {
            self.add_reader();
        }
    }

    /// Returns true if reading isn't paused and the connection isn't closing. As in asyncio, the
    /// result is still true if the other side has ended its stream but the connection is open.
    pub fn is_reading(&self) -> bool {
        !self.is_closing() && !self.connection.upper.reading_is_paused.get()
    }

    /// Registers the reader, unless reading is paused or the connection is closing. A protocol can
    /// pause reading or close the connection before reading begins.
    fn add_reader(&self) {
        if !self.is_reading() {
            return;
        }
        let reader = self.clone();
        let added = self
            .connection
            .on_socket(|fd| self.event_loop().add_reader(fd, move || reader.read_ready()));
        if let Err(error) = added {
            self.connection.fail(error.into());
        }
    }

    /// Reads once, into the loop's buffer. If more bytes are waiting, the loop calls this method
    /// again in the next tick, after the other callbacks.
    fn read_ready(&self) {
        if self.connection.will_be_lost() {
            return;
        }
        // The buffer stays borrowed until the protocol has handled the bytes.
        let mut scratch = self.event_loop().scratch(usize::MAX);
        match self.connection.on_socket(|socket| recv(socket, &mut scratch)) {
            Ok(Read::Bytes(count)) => self.data_received(&scratch[..count]),
            Ok(Read::End) => self.eof_received(),
            Ok(Read::WouldBlock) => {}
            Err(error) => self.connection.fail(error.into()),
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
            // The protocol can still write, but there's nothing left to read, and the selector
            // would report the end in every tick.
            Ok(true) => ProtocolCaller::stop_reading(&self.connection),
            Ok(false) => self.close(),
            Err(error) => {
                self.fatal_error(error, "Fatal error: protocol.eof_received() call failed.");
            }
        }
    }
}

impl Transport {
    /// Calls a method of the protocol and turns a panic into an error.
    fn call<T: Default>(&self, method: impl FnOnce(&dyn Protocol) -> Result<T>) -> Result<T> {
        let protocol = self.connection.upper.protocol.borrow().clone();
        match protocol {
            Some(protocol) => Transport::call_and_drop(protocol, method),
            None => Ok(T::default()),
        }
    }

    /// Calls a method of the protocol. If the method fails, reports the error and keeps the
    /// connection open.
    fn call_or_report(&self, message: &str, method: impl FnOnce(&dyn Protocol) -> Result<()>) {
        if let Err(error) = self.call(method) {
            report(self.event_loop(), message, error);
        }
    }

    /// Calls a method and drops the handle to the protocol. If it's the last handle, a panic in the
    /// protocol's destructor becomes an error, too.
    fn call_and_drop<T>(
        protocol: Rc<dyn Protocol>,
        method: impl FnOnce(&dyn Protocol) -> Result<T>,
    ) -> Result<T> {
        let call = AssertUnwindSafe(move || method(&*protocol));
        catch_unwind(call).unwrap_or_else(|payload| Err(Error::from_panic(payload)))
    }
}

/// The loss of a connection counts as one, and so does each write after the loss. Once the count
/// has reached this number, each further write is reported, because the protocol ignores the loss;
/// asyncio's `LOG_THRESHOLD_FOR_CONNLOST_WRITES`.
const VAIN_WRITES: u32 = 5;

/// Calls the protocol for a connection and adds and removes the socket's reader and writer, for
/// which the loop registers the socket level-triggered.
impl UpperLayer for ProtocolCaller {
    type Socket = StreamSocket;

    fn wait_for_room(connection: &Rc<TransportConnection>) {
        let writer = Rc::clone(connection);
        let added = connection
            .on_socket(|fd| connection.event_loop.add_writer(fd, move || writer.write_ready()));
        if let Err(error) = added {
            connection.fail(error.into());
        }
    }

    fn stop_waiting_for_room(connection: &Rc<TransportConnection>) {
        // This fails only if the descriptor isn't registered, and then there's nothing to remove.
        let _ = connection.on_socket(|fd| connection.event_loop.remove_writer(fd));
    }

    fn stop_reading(connection: &Rc<TransportConnection>) {
        // This, too, fails only if the descriptor isn't registered.
        let _ = connection.on_socket(|fd| connection.event_loop.remove_reader(fd));
    }

    fn pause_writing(connection: &Rc<TransportConnection>) {
        let transport = Transport::of(connection);
        let failed = "protocol.pause_writing() failed";
        transport.call_or_report(failed, |protocol| protocol.pause_writing(&transport));
    }

    fn resume_writing(connection: &Rc<TransportConnection>) {
        let transport = Transport::of(connection);
        let failed = "protocol.resume_writing() failed";
        transport.call_or_report(failed, |protocol| protocol.resume_writing(&transport));
    }

    fn written_in_vain(connection: &Rc<TransportConnection>) {
        let count = connection.upper.written_in_vain.get();
        if count >= VAIN_WRITES {
            let context = ExceptionContext::new("socket.send() raised exception.");
            connection.event_loop.call_exception_handler(&context);
        }
        connection.upper.written_in_vain.set(count.saturating_add(1));
    }

    fn connection_lost(connection: &Rc<TransportConnection>, error: Option<&Error>) {
        let protocol = connection.upper.protocol.take();
        // If the loop was closed first, the protocol is already gone.
        let Some(protocol) = protocol else { return };
        let lost = Transport::call_and_drop(protocol, |protocol| protocol.connection_lost(error));
        if let Err(error) = lost {
            report(&connection.event_loop, "Exception in callback", error);
        }
    }

    /// Closes the socket and returns the protocol without calling it.
    fn end_with_the_loop(connection: &TransportConnection) -> Option<Box<dyn Any>> {
        connection.forget();
        connection.upper.protocol.take().map(|protocol| Box::new(protocol) as _)
    }
}
