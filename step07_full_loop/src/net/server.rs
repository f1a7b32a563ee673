//! A server, as the program that has started it sees it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use rustix::net::getsockname;
use step06_tasks::{Error, Future, Result, yield_now};

use super::clients::Client;
use super::serving::Serving;

/// Listens, and serves each connection, by streams or by protocols; asyncio's `Server`. A clone is
/// another handle to the same server.
///
/// It goes on if all handles are dropped, until the loop is closed: [`close`](Server::close) ends it.
/// `run` does so, too, but for connections only by cancelling their tasks.
#[derive(Clone)]
pub struct Server {
    serving: Rc<Serving>,
}

impl Server {
    pub(super) fn new(serving: Rc<Serving>) -> Self {
        Server { serving }
    }

    /// Begins to listen and to accept, unless it does already. It's only needed with
    /// [`ServerOptions::start_serving`](crate::ServerOptions) turned off. Fails if the server is closed.
    pub async fn start_serving(&self) -> Result<()> {
        self.check_is_open()?;
        self.serving.start()?;
        // asyncio lets the others have a turn here, too.
        yield_now().await
    }

    /// Serves until the server is closed or the task is cancelled, which closes the server as well
    /// and waits for its last connection. It ends with `Cancelled` in either case.
    ///
    /// Fails if the server is closed, or if another task serves forever already.
    pub async fn serve_forever(&self) -> Result<()> {
        if self.serving.forever.borrow().is_some() {
            let why = "server is already being awaited on serve_forever()";
            return Err(Error::other(format!("{self:?}: {why}")));
        }
        self.check_is_open()?;
        self.serving.start()?;
        let forever: Future<()> = self.serving.event_loop.create_future();
        self.serving.forever.replace(Some(forever.clone()));
        let awaited = Awaited { serving: &self.serving };
        let ended = forever.await;
        drop(awaited);
        if ended.as_ref().is_err_and(Error::is_cancelled) {
            self.close();
            self.wait_closed().await?;
        }
        ended
    }

    /// Stops listening, and ends [`serve_forever`](Server::serve_forever). The connections that there
    /// are live on, and one that's just been accepted still begins (asyncio drops it).
    /// Closing it twice is fine.
    pub fn close(&self) {
        if self.serving.close()
            && let Some(forever) = self.serving.forever.take()
        {
            forever.cancel();
        }
    }

    /// Closes the connections that it has accepted, each once all is sent; asyncio's since 3.13. (Close
    /// the server before, or there will be others.)
    pub fn close_clients(&self) {
        self.serving.open_connections().into_iter().for_each(Client::close);
    }

    /// Closes the connections that it has accepted, and drops what's unsent; asyncio's since 3.13.
    pub fn abort_clients(&self) {
        self.serving.open_connections().into_iter().for_each(Client::abort);
    }

    /// Waits until the server is closed and its last connection is, too, in either order; asyncio's
    /// meaning since 3.12.1. (Before, it often didn't wait.)
    pub async fn wait_closed(&self) -> Result<()> {
        self.serving.clients.wait_until_done(&self.serving.event_loop).await
    }

    /// Returns true while it accepts connections.
    pub fn is_serving(&self) -> bool {
        self.serving.accepts.get()
    }

    /// Returns the listening sockets: none, once the server is closed. One that's kept keeps its port.
    pub fn sockets(&self) -> Vec<Rc<OwnedFd>> {
        self.serving.sockets.borrow().clone().unwrap_or_default()
    }

    /// Returns the addresses on which it listens: none, once the server is closed. A Unix socket has
    /// none either.
    pub fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        let mut addresses = Vec::new();
        for socket in self.sockets() {
            addresses.extend(SocketAddr::try_from(getsockname(&socket)?).ok());
        }
        Ok(addresses)
    }

    fn check_is_open(&self) -> Result<()> {
        let is_closed = self.serving.sockets.borrow().is_none();
        if is_closed {
            return Err(Error::other(format!("{self:?}: server is closed")));
        }
        Ok(())
    }
}

/// The wait of `serve_forever`, however it ends.
struct Awaited<'a> {
    serving: &'a Serving,
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        drop(self.serving.forever.take());
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sockets = self.serving.sockets.borrow();
        f.debug_struct("Server").field("sockets", &sockets).finish_non_exhaustive()
    }
}
