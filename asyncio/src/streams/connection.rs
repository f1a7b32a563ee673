//! What a reader and a writer share: the socket, and how it ends.
//!
//! A connection is closed in two steps, as in asyncio. First it is *closing*: nothing more is
//! received, and what's unsent is still sent. Then it is *lost*: the socket is closed, and whoever
//! waits is told, with the error if there was one. The second step is a callback of the loop, so none
//! of it happens inside `write` or `close`. (asyncio: `_SelectorTransport`, `connection_lost`)
//!
//! Each task that waits has a future of its own, since cancelling a task cancels the future that it
//! awaits.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll};

use rustix::net::sockopt;
use step01_fd::{CallError, Outbox};
use step06_tasks::{Error, Future, ReadyQueue, Result, check_cancelled};

use super::receiving::Received;
use super::writer::Flow;
use crate::net::{Counted, OpenConnections};
use crate::{AsyncFd, ClosesWithTheLoop, EventLoop};

pub(super) struct Connection {
    pub(super) event_loop: EventLoop,
    /// Gone once the connection is lost.
    pub(super) socket: RefCell<Option<AsyncFd<OwnedFd>>>,
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
    /// Takes over a connected socket.
    pub(super) fn new(
        socket: AsyncFd<OwnedFd>,
        limit: usize,
        counted: Option<Counted>,
    ) -> Rc<Self> {
        // Small writes go out at once, as asyncio has it. Other sockets than TCP's do so anyway.
        let _ = sockopt::set_tcp_nodelay(&socket, true);
        let connection = Rc::new(Connection {
            event_loop: socket.event_loop().clone(),
            socket: RefCell::new(Some(socket)),
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
        connection
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.get()
    }

    /// Returns true if nothing can be sent any more.
    pub(super) fn will_be_lost(&self) -> bool {
        self.will_be_lost.get()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.socket.borrow().is_none()
    }

    /// Returns the error with which it was lost.
    pub(super) fn error(&self) -> Option<Error> {
        self.error.borrow().clone()
    }

    /// Waits until there's something to receive: bytes, the end, or that the connection is lost.
    pub(super) async fn readable(&self) -> Result<()> {
        self.poll_socket(AsyncFd::poll_readable).await?;
        while self.is_closing() && !self.is_lost() {
            self.wait_closed().await?;
        }
        Ok(())
    }

    /// Waits for the socket, or until the connection is lost: dropping the socket wakes those who wait.
    async fn poll_socket(
        &self,
        poll: fn(&AsyncFd<OwnedFd>, &mut Context<'_>) -> Poll<Result<()>>,
    ) -> Result<()> {
        poll_fn(|context| match &*self.socket.borrow() {
            Some(socket) => poll(socket, context),
            None => Poll::Ready(check_cancelled()),
        })
        .await
    }

    /// Returns true if there's something to receive, and the task can have it without a wait.
    pub(super) fn has_news(&self) -> bool {
        !self.is_closing() && self.socket.borrow().as_ref().is_some_and(AsyncFd::readable_now)
    }

    /// Waits until there might be room to write, or until the connection is lost.
    pub(super) async fn writable(&self) -> Result<()> {
        self.poll_socket(AsyncFd::poll_writable).await
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
        let socket = self.socket.take();
        drop(socket);
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
        match &*self.socket.borrow() {
            Some(socket) => {
                call(socket.get_ref()).map_err(|error| CallError::wrap(name, error.into()))
            }
            None => Err(io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")),
        }
    }
    /// Enters it into the loop's table of open connections, or removes it, unless it's lost.
    fn with_table(&self, change: impl FnOnce(&OpenStreams, &AsyncFd<OwnedFd>)) {
        if let Some(socket) = &*self.socket.borrow() {
            change(&self.event_loop.attached(), socket);
        }
    }
}

/// The open connections of a loop that are streams.
pub(super) type OpenStreams = OpenConnections<Connection>;

impl ClosesWithTheLoop for OpenStreams {
    /// They end with their readers and writers, which are in coroutines that the loop drops.
    fn close(&self, _: &ReadyQueue) {}
}

/// The futures of all that wait. Mostly there are none, and then it's a single pointer.
#[derive(Default)]
pub(super) struct Waiting(Cell<Option<Box<Lists>>>);

#[derive(Default)]
struct Lists {
    for_room: Vec<Future<()>>,
    for_the_end: Vec<Future<()>>,
}

impl Waiting {
    /// Makes a future for a task that waits until enough is sent, or until the connection is lost.
    pub(super) fn for_room(&self, event_loop: &EventLoop) -> Future<()> {
        self.listed(event_loop, |lists| &mut lists.for_room)
    }

    /// Makes a future for a task that waits until the connection is lost.
    pub(super) fn for_the_end(&self, event_loop: &EventLoop) -> Future<()> {
        self.listed(event_loop, |lists| &mut lists.for_the_end)
    }

    fn listed(
        &self,
        event_loop: &EventLoop,
        list: impl FnOnce(&mut Lists) -> &mut Vec<Future<()>>,
    ) -> Future<()> {
        let future = event_loop.create_future();
        let mut lists = self.0.take().unwrap_or_default();
        let list = list(&mut lists);
        // The others were cancelled or dropped: a peer may have stopped reading long ago.
        list.retain(|future| future.is_shared() && !future.done());
        list.push(future.clone());
        self.0.set(Some(lists));
        future
    }

    /// Lets those go on that wait until enough is sent.
    pub(super) fn release_writers(&self) {
        let lists = self.0.take();
        let Some(mut lists) = lists else { return };
        let writers = std::mem::take(&mut lists.for_room);
        if !lists.for_the_end.is_empty() {
            self.0.set(Some(lists));
        }
        finish(writers, None);
    }

    /// Tells all that the connection is lost, and why: in asyncio's order.
    pub(super) fn release_all(&self, error: Option<&Error>) {
        let lists = self.0.take();
        if let Some(lists) = lists {
            finish(lists.for_the_end, error);
            finish(lists.for_room, error);
        }
    }
}

fn finish(futures: Vec<Future<()>>, error: Option<&Error>) {
    for future in futures {
        // One that was cancelled waits no more.
        let _ = match error {
            None => future.set_result(()),
            Some(error) => future.set_exception(error.clone()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_were_cancelled_or_dropped_are_not_kept() {
        let (waiting, event_loop) = (Waiting::default(), EventLoop::new().unwrap());
        let waits = waiting.for_room(&event_loop);
        for _ in 0..100 {
            waiting.for_room(&event_loop).cancel();
            drop(waiting.for_room(&event_loop));
        }
        let lists = waiting.0.take().unwrap();
        assert!(lists.for_room.len() <= 2, "{} are kept", lists.for_room.len());
        assert!(lists.for_room[0].is_shared() && !waits.done());
    }
}
