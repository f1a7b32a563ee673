//! The part that a reader and a writer share: the connection, received bytes, and waiting tasks.
//!
//! The socket is registered once, edge-triggered. If the kernel has no room, a separate task sends
//! the unsent bytes. An idle connection has no such task.
//!
//! Each task that waits for room or for the end has its own future, since cancelling a task cancels
//! the future that it awaits. A task that waits for bytes leaves its waker with the socket.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll};

use rustix::net::sockopt;
use step06_tasks::{Error, Future, Result, check_cancelled};

use super::receiving::Received;
use crate::net::{Connection, Counted, UpperLayer};
use crate::wait_list::WaitList;
use crate::{AsyncFd, EventLoop};

pub(super) type StreamConnection = Connection<ReaderAndWriter>;

/// The upper layer of a connection that a reader and a writer share.
pub(super) struct ReaderAndWriter {
    pub(super) received: Received,
    pub(super) waiting: WaitLists,
    /// The error that ended the connection, if any.
    error: RefCell<Option<Error>>,
    /// True while a task sends the unsent bytes.
    is_flushing: Cell<bool>,
}

impl StreamConnection {
    /// Takes over a connected socket for a writer and for a reader with this limit.
    pub(super) fn of(socket: AsyncFd<OwnedFd>, limit: usize, counted: Option<Counted>) -> Rc<Self> {
        // Small writes go out at once, as in asyncio. Sockets other than TCP's send at once anyway,
        // and their receives can end behind bytes that came with a descriptor.
        if sockopt::set_tcp_nodelay(&socket, true).is_err() {
            socket.expect_short_reads();
        }
        let stream = ReaderAndWriter {
            received: Received::new(limit),
            waiting: WaitLists::default(),
            error: RefCell::default(),
            is_flushing: Cell::default(),
        };
        Connection::new(socket.event_loop().clone(), Rc::new(socket), counted, stream)
    }

    /// Returns the error that ended the connection, if any.
    pub(super) fn error(&self) -> Option<Error> {
        self.upper.error.borrow().clone()
    }

    /// Waits until there may be bytes or the end to receive, or until the connection is lost.
    pub(super) async fn readable(&self) -> Result<()> {
        self.wait_for_socket(AsyncFd::poll_readable).await?;
        // A closing connection reads no more. Once it's lost, the call gets the end or the error.
        while self.is_closing() && !self.is_lost() {
            self.wait_closed().await?;
        }
        Ok(())
    }

    /// Waits until the socket is ready or the connection is lost: dropping the socket wakes the
    /// tasks that wait.
    ///
    /// Each poll holds a separate handle to the socket, because a poll clones the waker. Cloning
    /// can run any code, even code that ends the connection in the middle of the poll.
    async fn wait_for_socket(
        &self,
        poll: fn(&AsyncFd<OwnedFd>, &mut Context<'_>) -> Poll<Result<()>>,
    ) -> Result<()> {
        poll_fn(|context| {
            let socket = self.socket.borrow().clone();
            match socket {
                Some(socket) => poll(&socket, context),
                None => Poll::Ready(check_cancelled()),
            }
        })
        .await
    }

    /// Returns true if there may be something to receive and the task needn't let other tasks run
    /// first. A closing connection receives nothing more.
    pub(super) fn has_news(&self) -> bool {
        !self.is_closing()
            && self.socket.borrow().as_ref().is_some_and(|socket| socket.readable_now())
    }

    /// Waits until there might be room to write, or until the connection is lost.
    pub(super) async fn writable(&self) -> Result<()> {
        self.wait_for_socket(AsyncFd::poll_writable).await
    }

    /// Waits until the socket is closed. Fails with the error that ended the connection, if any.
    pub(super) async fn wait_closed(&self) -> Result<()> {
        if !self.is_lost() {
            return self.upper.waiting.for_the_end(&self.event_loop).await;
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Records that the kernel has no room. The kernel reports when there's room again.
    fn clear_writable(&self) {
        if let Some(socket) = &*self.socket.borrow() {
            socket.clear_writable();
        }
    }
}

impl UpperLayer for ReaderAndWriter {
    type Socket = Rc<AsyncFd<OwnedFd>>;

    fn wait_for_room(connection: &Rc<StreamConnection>) {
        connection.clear_writable();
        Flushing::begin(connection);
    }

    /// Receives the bytes that have arrived, unless the connection was aborted or has failed.
    /// Closing a socket with unread bytes would reset the connection, and the peer could lose the
    /// last bytes that we sent.
    fn stop_reading(connection: &Rc<StreamConnection>) {
        connection.receive_what_is_there();
    }

    fn resume_writing(connection: &Rc<StreamConnection>) {
        connection.upper.waiting.release_writers();
    }

    /// Wakes all waiting tasks. Closing the socket wakes the reader's task first, as in asyncio.
    fn connection_lost(connection: &Rc<StreamConnection>, error: Option<&Error>) {
        let stream = &connection.upper;
        if error.is_none() {
            stream.received.end();
        }
        stream.error.replace(error.cloned());
        connection.close_socket();
        stream.waiting.release_all(error);
    }
}

/// The task that sends the unsent bytes.
struct Flushing(Rc<StreamConnection>);

impl Flushing {
    fn begin(connection: &Rc<StreamConnection>) {
        if !connection.upper.is_flushing.replace(true) {
            // A guard, because the task can be cancelled before it has begun.
            let flushing = Flushing(Rc::clone(connection));
            let task = connection.event_loop.create_task(async move { flushing.flush().await });
            // If the loop is closed first, the bytes stay unsent, which isn't reported.
            task.any().expect_to_be_destroyed();
        }
    }

    async fn flush(&self) -> Result<()> {
        let connection = &self.0;
        while connection.unsent() > 0 {
            connection.writable().await?;
            connection.write_ready();
            if connection.unsent() > 0 {
                connection.clear_writable();
            }
        }
        Ok(())
    }
}

impl Drop for Flushing {
    /// Starts a new task if bytes are still unsent: `run` cancels this task together with all
    /// others, but another task's clean-up may be waiting until the last bytes are sent. `run`
    /// doesn't wait for the new task.
    fn drop(&mut self) {
        let connection = &self.0;
        connection.upper.is_flushing.set(false);
        if connection.unsent() > 0 && !connection.event_loop.is_closed() {
            Flushing::begin(connection);
        }
    }
}

/// The futures of the tasks that wait for room or for the end of the connection. Usually there are
/// none, and then the lists cost a single pointer.
#[derive(Default)]
pub(super) struct WaitLists(Cell<Option<Box<Lists>>>);

#[derive(Default)]
struct Lists {
    for_room: WaitList<()>,
    for_the_end: WaitList<()>,
}

impl WaitLists {
    /// Makes a future for a task that waits until writing is resumed or the connection is lost.
    pub(super) fn for_room(&self, event_loop: &EventLoop) -> Future<()> {
        let mut lists = self.0.take().unwrap_or_default();
        let future = lists.for_room.add(event_loop);
        self.0.set(Some(lists));
        future
    }

    /// Makes a future for a task that waits until the connection is lost.
    pub(super) fn for_the_end(&self, event_loop: &EventLoop) -> Future<()> {
        let mut lists = self.0.take().unwrap_or_default();
        let future = lists.for_the_end.add(event_loop);
        self.0.set(Some(lists));
        future
    }

    /// Wakes the tasks that wait until writing is resumed.
    fn release_writers(&self) {
        let lists = self.0.take();
        let Some(mut lists) = lists else { return };
        let writers = lists.for_room.take();
        if !lists.for_the_end.is_empty() {
            self.0.set(Some(lists));
        }
        finish(writers, None);
    }

    /// Wakes all tasks in asyncio's order and hands them the connection's error, if any.
    fn release_all(&self, error: Option<&Error>) {
        let lists = self.0.take();
        if let Some(mut lists) = lists {
            finish(lists.for_the_end.take(), error);
            finish(lists.for_room.take(), error);
        }
    }
}

fn finish(futures: Vec<Future<()>>, error: Option<&Error>) {
    for future in futures {
        // A cancelled future is already done.
        let _ = match error {
            None => future.set_result(()),
            Some(error) => future.set_exception(error.clone()),
        };
    }
}
