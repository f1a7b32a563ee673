//! How a server accepts connections: with a callback for each listening socket, as in asyncio.
//!
//! The callback accepts connections and serves each of them with streams or with a protocol,
//! whichever the server uses. Because a program can ask a server to end all its connections, each
//! accepted connection keeps a [`Counted`], which identifies the server, until the connection is
//! lost.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::{Rc, Weak};

use rustix::net::{SocketFlags, accept_with};
use step01_fd::CallError;
use step06_tasks::{Future, Result};

use super::clients::{ClientCount, Counted, OpenConnection, OpenConnections};
use super::report::report;
use crate::{AcceptFailure, EventLoop};

/// A server's listening sockets and everything that their callbacks need to serve connections.
pub(super) struct Serving {
    pub(super) event_loop: EventLoop,
    /// `None` once the server is closed.
    pub(super) sockets: RefCell<Option<Vec<Rc<OwnedFd>>>>,
    pub(super) accepts: Cell<bool>,
    pub(super) clients: Rc<ClientCount>,
    /// The future that `serve_forever` waits for.
    pub(super) forever: RefCell<Option<Future<()>>>,
    serves: Box<dyn Serves>,
    /// The argument of listen(2): the number of connections that the kernel queues for each socket
    /// until they're accepted. Linux queues one more.
    queue_length: i32,
    /// The maximum number of connections that are accepted from a socket in one go. A number below
    /// one counts as one.
    backlog: i32,
}

/// The maximum number of connections that a server accepts in one go, however large its backlog is.
/// Without this limit, a steady flow of clients could prevent other tasks from running.
const MOST_IN_ONE_GO: i32 = 1000;

impl Serving {
    pub(super) fn new(
        event_loop: EventLoop,
        sockets: Vec<OwnedFd>,
        backlog: i32,
        serves: Box<dyn Serves>,
    ) -> Rc<Self> {
        Rc::new(Serving {
            event_loop,
            sockets: RefCell::new(Some(sockets.into_iter().map(Rc::new).collect())),
            accepts: Cell::default(),
            clients: Rc::default(),
            forever: RefCell::default(),
            serves,
            queue_length: backlog,
            backlog: backlog.min(MOST_IN_ONE_GO),
        })
    }

    /// Begins to listen and to accept connections. If the kernel refuses, closes the server and
    /// fails.
    pub(super) fn start(self: &Rc<Self>) -> Result<()> {
        let sockets = self.sockets.borrow().clone().unwrap_or_default();
        if self.accepts.replace(!sockets.is_empty()) {
            return Ok(());
        }
        for socket in &sockets {
            let listening = rustix::net::listen(socket, self.queue_length);
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
        self.event_loop.add_reader(socket, move || serving.accept_from(&watched)).map(drop)
    }

    fn accept_from(self: &Rc<Self>, socket: &Weak<OwnedFd>) {
        if let Some(socket) = socket.upgrade() {
            self.accept(&socket);
        }
    }

    // ANCHOR: accept
    /// Accepts the connections that are waiting and serves each of them. The loop calls this method
    /// in every tick in which `socket` is readable. The first attempt that fails ends the call.
    ///
    /// | [`AcceptFailure`] | message of the report | and then |
    /// | --- | --- | --- |
    /// | `NothingThere`, `PeerLeft` | none | |
    /// | `OneConnection` | `socket.accept() failed` | |
    /// | `OutOfResources` | `socket.accept() out of system resource` | accepting pauses |
    /// | `Lasting` | `socket.accept() failed for good` | the socket is no longer watched |
    ///
    /// - One call accepts at most as many clients as the backlog, or one client if the backlog is
    ///   below one (`clients_of_a_server`).
    /// - An error that makes the server pause is reported once per pause
    ///   (`a_server_without_descriptors`).
    /// - Only `socket` is affected. The server's other sockets go on as before
    ///   (`clients_of_a_server`).
    /// - A client's socket is non-blocking and close-on-exec from the start (`errors_of_accept`).
    /// - A report names the call and its descriptor:
    ///   `accept fd 5: Too many open files (os error 24)` (`errors_of_accept`).
    ///
    /// Not checked: however long the backlog is, one call accepts at most 1000 clients, because
    /// `self.backlog` is never larger.
    ///
    /// In asyncio, `_accept_connection` does this work.
    fn accept(self: &Rc<Self>, socket: &Rc<OwnedFd>) {
        for _ in 0..self.backlog.max(1) {
            let error = match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => {
                    self.serve(client);
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            let failure = AcceptFailure::of(&error);
            let error = named("accept", socket, error);
            match failure {
                AcceptFailure::NothingThere | AcceptFailure::PeerLeft => {}
                AcceptFailure::OneConnection => {
                    report(&self.event_loop, "socket.accept() failed", error);
                }
                AcceptFailure::OutOfResources => {
                    report(&self.event_loop, "socket.accept() out of system resource", error);
                    self.pause(socket);
                }
                AcceptFailure::Lasting => {
                    report(&self.event_loop, "socket.accept() failed for good", error);
                    self.stop_watching(socket);
                }
            }
            return;
        }
    }
    // ANCHOR_END: accept

    // ANCHOR: pausing
    /// Accepts nothing from the socket for a second and then watches it again, unless the server is
    /// closed by then. If the loop can't register the socket, the pause lasts another second.
    fn pause(self: &Rc<Self>, socket: &Rc<OwnedFd>) {
        self.stop_watching(socket);
        let (serving, paused) = (Rc::clone(self), Rc::downgrade(socket));
        self.event_loop.call_later(AcceptFailure::RETRY_DELAY, move || {
            // The program can still hold a closed server's socket, so check the server first.
            if serving.accepts.get()
                && let Some(socket) = paused.upgrade()
                && let Err(error) = serving.watch(&socket)
            {
                report(&serving.event_loop, "a listener couldn't be registered again", error);
                serving.pause(&socket);
            }
        });
    }

    /// Stops watching the socket, so the loop no longer calls `accept` when connections are
    /// waiting.
    fn stop_watching(&self, socket: &Rc<OwnedFd>) {
        // The socket belongs to the server alone, so the loop can't refuse to remove its reader.
        let _ = self.event_loop.remove_reader(socket);
    }

    /// Begins to serve a client. If the client's connection can't be set up, reports the error and
    /// closes the connection. The exception handler can close the server while `accept` is still
    /// running. In that case, the socket of each further client is closed at once.
    fn serve(self: &Rc<Self>, client: OwnedFd) {
        if !self.accepts.get() {
            return;
        }
        let counted = self.clients.attach();
        if let Err(error) = self.serves.serve(&self.event_loop, client, counted) {
            report(&self.event_loop, "a connection couldn't be set up", error);
        }
    }
    // ANCHOR_END: pausing

    /// Returns the connections that the server has accepted and that aren't lost yet.
    pub(super) fn open_connections(&self) -> Vec<Rc<dyn OpenConnection>> {
        self.event_loop.attached::<OpenConnections>().clients_of(&self.clients)
    }

    /// Closes the listening sockets. Returns false if they were already closed.
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

// ANCHOR: named
/// Puts the call and its descriptor in front of an error's text, for a report. The new error's
/// `raw_os_error` is `None`.
fn named(call: &str, socket: &Rc<OwnedFd>, error: io::Error) -> io::Error {
    CallError::wrap(format!("{call} fd {}", socket.as_raw_fd()), error)
}
// ANCHOR_END: named

/// How a server serves a client: with streams or with a protocol.
pub(crate) trait Serves {
    /// Begins to serve a client, whose socket is non-blocking. `counted` is kept until the
    /// connection is lost.
    fn serve(&self, event_loop: &EventLoop, client: OwnedFd, counted: Counted) -> Result<()>;
}
