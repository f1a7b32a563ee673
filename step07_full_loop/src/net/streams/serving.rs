//! How a server accepts: a callback for each listening socket, as in asyncio.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::{Rc, Weak};

use rustix::net::{SocketFlags, accept_with};
use step01_fd::CallError;
use step06_tasks::{Future, Result};

use super::connection::Connection;
use super::reader::StreamReader;
use super::writer::StreamWriter;
use crate::event_loop::EventLoop;
use crate::net::accept_failure::Failure;
use crate::net::accepting::{RETRY_DELAY, report};

/// Starts the task of a connection.
type Handler = Box<dyn Fn(&EventLoop, StreamReader, StreamWriter)>;

/// The listening sockets of a server, and what becomes of their connections.
pub(super) struct Serving {
    pub(super) event_loop: EventLoop,
    /// Gone once the server is closed.
    pub(super) sockets: RefCell<Option<Vec<Rc<OwnedFd>>>>,
    pub(super) accepts: Cell<bool>,
    pub(super) clients: Rc<Clients>,
    pub(super) handler: Handler,
    pub(super) backlog: i32,
    pub(super) limit: usize,
}

impl Serving {
    /// Begins to listen, and to accept. If it fails, the server is closed.
    pub(super) fn start(self: &Rc<Self>) -> Result<()> {
        let sockets = self.sockets.borrow().clone().unwrap_or_default();
        if self.accepts.replace(!sockets.is_empty()) {
            return Ok(());
        }
        for socket in &sockets {
            let listening = rustix::net::listen(socket, self.backlog);
            let listening = listening.map_err(|error| named("listen", socket, error.into()));
            if let Err(error) = listening.and_then(|()| self.watch(socket)) {
                self.close();
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn watch(self: &Rc<Self>, socket: &Rc<OwnedFd>) -> io::Result<()> {
        // Weak, so that closing the server closes the socket, whatever is still scheduled.
        let (serving, watched) = (Rc::clone(self), Rc::downgrade(socket));
        self.event_loop.add_reader(socket, move || serving.accept_from(&watched))
    }

    fn accept_from(self: &Rc<Self>, socket: &Weak<OwnedFd>) {
        if let Some(socket) = socket.upgrade() {
            self.accept(&socket);
        }
    }

    // ANCHOR: accept
    /// Accepts the connections that are waiting, and serves each.
    ///
    /// It's called in every tick in which `socket` is readable, and accepts until nothing is waiting,
    /// or until it has accepted as many as the backlog (one at least): without a limit, a stream of new
    /// clients would keep the loop from those that it has. Each try is one call of accept4(2), and the
    /// client's socket is non-blocking and close-on-exec from the start.
    ///
    /// It ends with the first try that fails; the loop calls again for whatever is still waiting. What
    /// else an error asks for, [`Failure`] says:
    /// - nothing there, or a peer that has left: nothing, and it isn't worth a report;
    /// - one connection: it's reported as `socket.accept() failed`;
    /// - no descriptors or no memory: it's reported as `socket.accept() out of system resource`, and
    ///   accepting [pauses](Self::pause), because the connection that stays in the queue would be
    ///   reported in every tick;
    /// - a listener that's broken: it's reported as `socket.accept() failed for good`, and no longer
    ///   watched.
    ///
    /// A report names the call and its descriptor, as in `accept fd 5: Too many open files (os error
    /// 24)`. (asyncio: `_accept_connection`)
    fn accept(self: &Rc<Self>, socket: &Rc<OwnedFd>) {
        for _ in 0..self.backlog.max(1) {
            let error = match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => {
                    self.serve(client);
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            let failure = Failure::of(&error);
            let error = named("accept", socket, error);
            match failure {
                Failure::NothingThere | Failure::PeerLeft => {}
                Failure::OneConnection => report(&self.event_loop, "socket.accept() failed", error),
                Failure::OutOfResources => {
                    report(&self.event_loop, "socket.accept() out of system resource", error);
                    self.pause(socket);
                }
                Failure::Lasting => {
                    report(&self.event_loop, "socket.accept() failed for good", error);
                    self.stop_watching(socket);
                }
            }
            return;
        }
    }
    // ANCHOR_END: accept

    /// Accepts nothing for a second, and then watches the socket again, if the server isn't closed.
    fn pause(self: &Rc<Self>, socket: &Rc<OwnedFd>) {
        self.stop_watching(socket);
        let (serving, paused) = (Rc::clone(self), Rc::downgrade(socket));
        self.event_loop.call_later(RETRY_DELAY, move || {
            if let Some(socket) = paused.upgrade()
                && let Err(error) = serving.watch(&socket)
            {
                report(&serving.event_loop, "a listener couldn't be registered again", error);
            }
        });
    }

    /// Isn't called any more when connections are waiting.
    fn stop_watching(&self, socket: &Rc<OwnedFd>) {
        // It's the server's own socket, so nothing else could be wrong with it.
        let _ = self.event_loop.remove_reader(socket);
    }

    /// Starts the task of a connection. One that can't be set up is reported, and closed.
    fn serve(self: &Rc<Self>, client: OwnedFd) {
        match Connection::new(client, self.limit, Some(Rc::clone(&self.clients))) {
            Ok(connection) => {
                let reader = StreamReader::new(Rc::clone(&connection));
                (self.handler)(&self.event_loop, reader, StreamWriter::new(connection));
            }
            Err(error) => report(&self.event_loop, "a connection couldn't be set up", error),
        }
    }

    /// Closes the listening sockets. Returns false if that was done before.
    pub(super) fn close(&self) -> bool {
        let Some(sockets) = self.sockets.take() else { return false };
        self.accepts.set(false);
        for socket in &sockets {
            self.stop_watching(socket);
        }
        drop(sockets);
        self.clients.close();
        true
    }
}

/// Adds the call and its descriptor to an error.
fn named(call: &str, socket: &Rc<OwnedFd>, error: io::Error) -> io::Error {
    CallError::wrap(format!("{call} fd {}", socket.as_raw_fd()), error)
}

/// Counts the connections of a server that aren't lost yet, for those who wait for the last one.
#[derive(Default)]
pub(super) struct Clients {
    count: Cell<usize>,
    /// No more will come.
    is_closed: Cell<bool>,
    waiting: RefCell<Vec<Future<()>>>,
}

impl Clients {
    pub(super) fn attach(&self) {
        self.count.set(self.count.get() + 1);
    }

    pub(super) fn detach(&self) {
        self.count.set(self.count.get() - 1);
        self.wake_if_done();
    }

    fn close(&self) {
        self.is_closed.set(true);
        self.wake_if_done();
    }

    fn is_done(&self) -> bool {
        self.is_closed.get() && self.count.get() == 0
    }

    fn wake_if_done(&self) {
        if self.is_done() {
            for waiter in self.waiting.take() {
                // One that was cancelled waits no more.
                let _ = waiter.set_result(());
            }
        }
    }

    pub(super) async fn wait_until_done(&self, event_loop: &EventLoop) -> Result<()> {
        if self.is_done() {
            return Ok(());
        }
        let waiter = event_loop.create_future();
        self.waiting.borrow_mut().push(waiter.clone());
        waiter.await
    }
}
