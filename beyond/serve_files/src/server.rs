//! The server: listens, starts a task for each connection, and shuts down gracefully.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener, ToSocketAddrs};
use std::path::Path;
use std::rc::Rc;

use asyncio::{
    Clients, LoopError, Result, SIGTERM, Semaphore, TcpListener, create_task, get_running_loop,
    run, serve_until_stopped,
};
use step01_fd::{CallError, raise_descriptor_limit};
use step05_selfpipe::has_default_action;

use crate::connection::serve_connection;
use crate::limits::Limits;
use crate::root::Root;
use crate::shared::{PIECE, Permit, SMALL, Shared};
use crate::site::Site;

/// The maximum number of connections that the kernel queues until we accept them.
const BACKLOG: i32 = 1024;

/// The maximum number of simultaneous connections, unless [`FileServer::with_connections`] sets a
/// different limit. A connection holds at most about 20 KiB of received bytes, plus 256 KiB of its
/// answer if a thread had to read the file.
const CONNECTIONS: usize = 4096;

/// The number of descriptors that we reserve for everything except connections and their files:
/// those of the loop, the listener and the directory, and those that the program inherited.
const OTHER_DESCRIPTORS: u64 = 64;

/// A single-threaded server for a directory's files, on step 07's loop.
#[derive(Debug)]
pub struct FileServer {
    listener: StdListener,
    root: Root,
    limits: Limits,
    connections: usize,
}

impl FileServer {
    /// Opens the directory and listens on `address`. Port 0 lets the kernel choose a free port.
    pub fn bind(directory: &Path, address: impl ToSocketAddrs) -> io::Result<Self> {
        let root = Root::open(directory)?;
        let found = address.to_socket_addrs().map_err(|error| CallError::wrap("listen", error))?;
        let addresses: Vec<SocketAddr> = found.collect();
        let listener = StdListener::bind(&*addresses)
            .map_err(|error| CallError::wrap(format!("listen on {addresses:?}"), error))?;
        let (limits, connections) = (Limits::default(), CONNECTIONS);
        Ok(FileServer { listener, root, limits, connections })
    }

    /// Replaces the default limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        FileServer { limits, ..self }
    }

    /// Sets the maximum number of simultaneous connections: 4,096 by default, and at least one.
    /// Further clients wait in the kernel's queue, and as long as the limit is reached, each
    /// connection is closed after its current answer.
    #[must_use]
    pub fn with_connections(self, connections: usize) -> Self {
        FileServer { connections: connections.max(1), ..self }
    }

    /// Returns the address on which the server listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let address = self.listener.local_addr();
        address.map_err(|error| CallError::wrap("getsockname of the listener", error))
    }

    /// Serves until SIGINT (Ctrl-C) or SIGTERM. A signal that other code handles when this function
    /// is called keeps its handler, and a signal that's ignored stays ignored: shells make a
    /// script's background programs ignore SIGINT.
    ///
    /// After the signal, the server finishes its current answers, within the time that
    /// [`Limits::grace`] allows, and returns. Once the loop has handled the signal, another signal
    /// of the same kind ends the process at once.
    ///
    /// The limit on descriptors may lower the maximum number of connections, since each connection
    /// may need two descriptors: for its socket and for a file.
    pub fn run(self) -> io::Result<()> {
        let descriptors = raise_descriptor_limit()?.saturating_sub(OTHER_DESCRIPTORS);
        let allowed = usize::try_from(descriptors / 2).unwrap_or(usize::MAX);
        let connections = self.connections.min(allowed);
        let server = self.with_connections(connections);
        let grace = server.limits.grace;
        let leaves_sigterm = !has_default_action(SIGTERM)?;
        let serving = async move {
            let clients = Clients::new();
            let accepting = create_task(server.accept(clients.clone()))?;
            if leaves_sigterm {
                // `serve_until_stopped` takes over the signal at the beginning. One tick later,
                // this call restores the signal's action.
                let event_loop = get_running_loop()?;
                event_loop
                    .clone()
                    .call_soon(move || drop(event_loop.remove_signal_handler(SIGTERM)));
            }
            serve_until_stopped(accepting, clients, grace).await
        };
        match run(serving) {
            Ok(()) | Err(LoopError::Interrupted) => Ok(()),
            Err(LoopError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Serves on the loop that's already running, until the calling task is cancelled or the
    /// listener fails. After that, the connections' tasks continue.
    pub async fn serve(self) -> Result<()> {
        self.accept(Clients::new()).await
    }

    async fn accept(self, clients: Clients) -> Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        listener.set_backlog(BACKLOG)?;
        let scratch = RefCell::new(vec![0; PIECE + SMALL]);
        let permits = Rc::new(Semaphore::new(self.connections));
        let (site, is_full) = (Site::new(self.root), Cell::new(false));
        let shared = Rc::new(Shared { site, limits: self.limits, is_full, scratch });
        loop {
            shared.is_full.set(permits.locked());
            let permit = Permit::take(&permits).await?;
            shared.is_full.set(false);
            let (stream, _address) = listener.accept().await?;
            let serving = serve_connection(stream, Rc::clone(&shared));
            clients.add(create_task(async move {
                let _permit = permit;
                serving.await
            })?);
        }
    }
}
