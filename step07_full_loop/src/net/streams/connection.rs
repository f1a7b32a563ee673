//! What a reader and a writer share: the socket, and how it ends.
//!
//! A connection is closed in two steps, as in asyncio. First it is *closing*: nothing more is
//! received, and what's unsent is still sent. Then it is *lost*: the socket is closed, and whoever
//! waits is told, with the error if there was one. The second step is a callback of the loop, so none
//! of it happens inside `write` or `close`. (asyncio: `_SelectorTransport`, `connection_lost`)

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll};

use rustix::net::sockopt;
use step01_fd::{CallError, Outbox};
use step06_tasks::{Error, LocalWaker, ReadyQueue, Result, check_cancelled};

use super::receiving::Received;
use super::waiting::Waiting;
use super::writing::Flow;
use crate::event_loop::{ClosesWithTheLoop, EventLoop, Readiness, get_running_loop};
use crate::net::clients::Counted;
use crate::net::open_connections::OpenConnections;
use crate::net::stream::Stream;

pub(super) struct Connection {
    pub(super) event_loop: EventLoop,
    /// The stream's own, for those who wait when the stream is closed.
    readiness: Rc<Readiness>,
    /// Gone once the connection is lost.
    pub(super) stream: RefCell<Option<Stream<OwnedFd>>>,
    pub(super) outbox: RefCell<Outbox>,
    pub(super) flow: Flow,
    is_closing: Cell<bool>,
    /// The second step of closing is scheduled, or done.
    will_be_lost: Cell<bool>,
    error: RefCell<Option<Error>>,
    pub(super) waiting: Waiting,
    pub(super) received: Received,
    /// Its place among the clients of the server that has accepted it.
    pub(super) counted: Cell<Option<Counted>>,
}

impl Connection {
    /// Takes over a connected, non-blocking socket, on the loop that runs in this thread.
    pub(super) fn new(socket: OwnedFd, limit: usize, counted: Option<Counted>) -> Result<Rc<Self>> {
        // Small writes go out at once, as asyncio has it. Other sockets than TCP's do so anyway.
        let _ = sockopt::set_tcp_nodelay(&socket, true);
        let stream = Stream::from_nonblocking(socket)?;
        let readiness = Rc::clone(&stream.readiness);
        let connection = Rc::new(Connection {
            event_loop: get_running_loop()?,
            readiness,
            stream: RefCell::new(Some(stream)),
            outbox: RefCell::default(),
            flow: Flow::default(),
            is_closing: Cell::new(false),
            will_be_lost: Cell::new(false),
            error: RefCell::default(),
            waiting: Waiting::default(),
            received: Received::new(limit),
            counted: Cell::new(counted),
        });
        connection.with_table(|open, socket| open.add(socket, &connection));
        Ok(connection)
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.get()
    }

    /// Returns true if nothing can be sent any more.
    pub(super) fn will_be_lost(&self) -> bool {
        self.will_be_lost.get()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.stream.borrow().is_none()
    }

    /// Returns the error with which it was lost.
    pub(super) fn error(&self) -> Option<Error> {
        self.error.borrow().clone()
    }

    /// Waits until there's something to receive: bytes, the end, or that the connection is lost.
    pub(super) async fn readable(&self) -> Result<()> {
        poll_fn(|context| self.poll_readable(context)).await
    }

    fn poll_readable(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.is_closing() && !self.is_lost() {
            check_cancelled()?;
            self.readiness.read.wait(LocalWaker::of(context));
            return Poll::Pending;
        }
        self.readiness.read.poll_ready(context)
    }

    /// Returns true if there's something to receive, and the task can have it without a wait.
    pub(super) fn has_news(&self) -> bool {
        !self.is_closing() && self.readiness.read.takes_a_turn()
    }

    /// Waits until there might be room to write, or until the connection is lost.
    pub(super) async fn writable(&self) -> Result<()> {
        self.readiness.write.ready().await
    }

    /// Closes the connection once all is sent. Closing it twice is fine.
    pub(super) fn close(self: &Rc<Self>) {
        // To close a socket that hasn't read everything resets the connection, and the peer could lose
        // the last bytes.
        self.receive_what_is_there();
        if !self.is_closing.replace(true) && self.outbox.borrow().is_empty() {
            self.lose_soon(None);
        }
    }

    /// Closes the connection, and drops what's unsent.
    pub(super) fn abort(self: &Rc<Self>) {
        self.outbox.take();
        self.is_closing.set(true);
        self.lose_soon(None);
    }

    /// Ends the connection with an error of a system call.
    pub(super) fn fail(self: &Rc<Self>, error: Error) {
        self.outbox.take();
        self.is_closing.set(true);
        self.lose_soon(Some(error));
    }

    fn lose_soon(self: &Rc<Self>, error: Option<Error>) {
        // A loop that's closed has dropped all that could be told.
        if !self.will_be_lost.replace(true) && !self.event_loop.is_closed() {
            let connection = Rc::clone(self);
            self.event_loop.call_soon(move || connection.lose(error));
        }
    }

    /// Closes the socket, and tells all that wait; asyncio's `connection_lost`.
    pub(super) fn lose(&self, error: Option<Error>) {
        self.will_be_lost.set(true);
        if error.is_none() {
            self.received.end();
        }
        self.error.replace(error.clone());
        self.with_table(|open, socket| open.remove(socket));
        let stream = self.stream.take();
        drop(stream);
        self.readiness.close(&self.event_loop);
        self.waiting.release_all(error.as_ref());
        drop(self.counted.take());
    }

    /// Waits until the socket is closed; fails with the error, if there was one.
    pub(super) async fn wait_closed(&self) -> Result<()> {
        if !self.is_lost() {
            return self.waiting.for_the_end(&self.event_loop).await;
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Makes a call with the socket, which an error names. Fails if the socket is closed.
    pub(super) fn with_socket<T>(
        &self,
        name: &str,
        call: impl FnOnce(&OwnedFd) -> rustix::io::Result<T>,
    ) -> io::Result<T> {
        match &*self.stream.borrow() {
            Some(stream) => {
                call(&stream.socket).map_err(|error| CallError::wrap(name, error.into()))
            }
            None => Err(io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")),
        }
    }
    /// Enters it into the loop's table of open connections, or removes it, unless it's lost.
    fn with_table(&self, change: impl FnOnce(&OpenStreams, &Stream<OwnedFd>)) {
        if let Some(stream) = &*self.stream.borrow() {
            change(&self.event_loop.attached(), stream);
        }
    }
}

/// The open connections of a loop that are streams.
pub(super) type OpenStreams = OpenConnections<Connection>;

impl ClosesWithTheLoop for OpenStreams {
    /// They end with their readers and writers, which are in coroutines that the loop drops.
    fn close(&self, _: &ReadyQueue) {}
}
