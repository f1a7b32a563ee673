//! A server whose connections are protocols; asyncio's `Server`, as `create_server` makes it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::rc::Rc;

use step01_fd::set_nonblocking;
use step06_tasks::{Error, Future, Result};

use super::accepting;
use super::open_transports::OpenTransports;
use super::{Protocol, Transport};
use crate::event_loop::EventLoop;

/// A listening socket, and the connections that it has accepted. A clone is another handle to the same
/// server.
///
/// It serves until it's closed, even if no handle is left, as asyncio's does.
///
/// ```
/// use step07_full_loop::{Protocol, get_running_loop, run};
///
/// struct Silent;
///
/// impl Protocol for Silent {}
///
/// run(async {
///     let event_loop = get_running_loop()?;
///     let server = event_loop.create_server(|| Silent, "127.0.0.1:0")?;
///     let address = server.local_addr()?;
///     let (client, _) = event_loop.create_connection(|| Silent, address).await?;
///     server.close();
///     // The connection that it has accepted ends with its other side.
///     client.close();
///     server.wait_closed().await
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Clone)]
pub struct ProtocolServer {
    pub(super) shared: Rc<Shared>,
}

pub(super) struct Shared {
    pub(super) event_loop: EventLoop,
    /// Gone once the server is closed.
    pub(super) listener: RefCell<Option<TcpListener>>,
    /// Makes a protocol for each connection.
    pub(super) factory: Box<dyn Fn() -> Rc<dyn Protocol>>,
    is_serving: Cell<bool>,
    /// The number of connections that aren't lost.
    active: Cell<usize>,
    /// Those who wait for the end.
    waiters: RefCell<Vec<Future<()>>>,
    /// What `serve_forever` awaits.
    forever: RefCell<Option<Future<()>>>,
}

/// A wait of `serve_forever`, however it ends.
struct Serving<'a> {
    server: &'a ProtocolServer,
}

/// A connection's share of its server: dropped when the connection is lost.
pub(super) struct Served {
    server: ProtocolServer,
}

impl EventLoop {
    /// Listens on an address, and makes a protocol for each connection; asyncio's `create_server`.
    /// Port 0 lets the kernel choose. A name is looked up here and now, and blocks the loop.
    ///
    /// Each connection begins in a task of its own. If the factory panics, the connection is closed,
    /// and that's reported.
    pub fn create_server<P: Protocol + 'static>(
        &self,
        factory: impl Fn() -> P + 'static,
        address: impl ToSocketAddrs,
    ) -> Result<ProtocolServer> {
        let listener = TcpListener::bind(address)?;
        set_nonblocking(&listener, true)?;
        let shared = Shared {
            event_loop: self.clone(),
            listener: RefCell::new(Some(listener)),
            factory: Box::new(move || Rc::new(factory())),
            is_serving: Cell::new(false),
            active: Cell::new(0),
            waiters: RefCell::default(),
            forever: RefCell::default(),
        };
        let server = ProtocolServer { shared: Rc::new(shared) };
        accepting::start(&server)?;
        server.shared.is_serving.set(true);
        Ok(server)
    }
}

impl ProtocolServer {
    /// Returns the address it listens on. Fails once it's closed.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &*self.shared.listener.borrow() {
            Some(listener) => listener.local_addr(),
            None => Err(io::Error::new(io::ErrorKind::NotConnected, "the server is closed")),
        }
    }

    /// Returns true until it's closed.
    pub fn is_serving(&self) -> bool {
        self.shared.is_serving.get()
    }

    /// Stops listening. Connections that it has accepted go on. Closing it twice is fine.
    pub fn close(&self) {
        let listener = self.shared.listener.take();
        let Some(listener) = listener else { return };
        accepting::stop(&self.shared.event_loop, &listener);
        self.shared.is_serving.set(false);
        drop(listener);
        if let Some(forever) = self.shared.forever.take() {
            forever.cancel();
        }
        self.wake_if_over();
    }

    /// Waits until it's closed and all its connections are lost. (CPython 3.12.1 and later; earlier
    /// ones return too soon.)
    pub async fn wait_closed(&self) -> Result<()> {
        if self.is_over() {
            return Ok(());
        }
        let waiter = self.shared.event_loop.create_future();
        self.shared.waiters.borrow_mut().push(waiter.clone());
        waiter.await
    }

    /// Serves until it's cancelled, then closes and waits for its connections to end. Fails if it's
    /// closed, or is awaited here already.
    pub async fn serve_forever(&self) -> Result<()> {
        if self.shared.forever.borrow().is_some() {
            return Err(Error::other("the server is already being awaited on serve_forever()"));
        }
        if !self.is_serving() {
            return Err(Error::other("the server is closed"));
        }
        let forever = self.shared.event_loop.create_future();
        self.shared.forever.replace(Some(forever.clone()));
        let _serving = Serving { server: self };
        let ended = forever.await;
        self.close();
        self.wait_closed().await?;
        ended
    }

    /// Closes all connections that it has accepted, as their protocols would. (CPython 3.13)
    pub fn close_clients(&self) {
        self.clients().iter().for_each(Transport::close);
    }

    /// Aborts all connections that it has accepted. (CPython 3.13)
    pub fn abort_clients(&self) {
        self.clients().iter().for_each(Transport::abort);
    }

    fn clients(&self) -> Vec<Transport> {
        let mut open = OpenTransports::of(&self.shared.event_loop).all();
        open.retain(|transport| transport.is_served_by(self));
        open
    }

    /// Counts a connection, for as long as the guard lives.
    pub(super) fn attach(&self) -> Served {
        self.shared.active.set(self.shared.active.get() + 1);
        Served { server: self.clone() }
    }

    fn is_over(&self) -> bool {
        !self.is_serving() && self.shared.active.get() == 0
    }

    fn wake_if_over(&self) {
        if self.is_over() {
            for waiter in self.shared.waiters.take() {
                // One that was cancelled meanwhile is done.
                let _ = waiter.set_result(());
            }
        }
    }
}

impl Transport {
    fn is_served_by(&self, server: &ProtocolServer) -> bool {
        let guard = self.connection.server.take();
        let by = guard.as_ref().map(|guard| Rc::as_ptr(&guard.server.shared));
        self.connection.server.set(guard);
        by == Some(Rc::as_ptr(&server.shared))
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        drop(self.server.shared.forever.take());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let active = &self.server.shared.active;
        active.set(active.get() - 1);
        self.server.wake_if_over();
    }
}

impl fmt::Debug for ProtocolServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtocolServer")
            .field("listener", &*self.shared.listener.borrow())
            .field("connections", &self.shared.active.get())
            .finish_non_exhaustive()
    }
}
