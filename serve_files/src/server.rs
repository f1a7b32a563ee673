//! The server: it listens, starts a task for each connection, and ends them all gracefully.

use std::cell::RefCell;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener, ToSocketAddrs};
use std::path::Path;
use std::rc::Rc;

use asyncio::{Clients, LoopError, Result, TcpListener, create_task, run, serve_until_stopped};
use step01_fd::{CallError, raise_descriptor_limit};

use crate::connection::serve_connection;
use crate::limits::{Limits, REQUEST_LINE};
use crate::root::Root;
use crate::shared::{PIECE, Shared};
use crate::site::Site;

/// Room for a head, before the first piece, so that both are one write. The longest is a redirect, which
/// can be three times as long as its request line, and has some fields.
const LONGEST_HEAD: usize = 4 * REQUEST_LINE;

/// How many connections the kernel keeps for us until we accept them.
const BACKLOG: i32 = 1024;

/// A server for the files of a directory, with one thread, on the loop of step 07.
#[derive(Debug)]
pub struct FileServer {
    listener: StdListener,
    root: Root,
    limits: Limits,
}

impl FileServer {
    /// Opens the directory, and listens on an address. Port 0 lets the kernel choose a free one.
    pub fn bind(directory: &Path, address: impl ToSocketAddrs) -> io::Result<Self> {
        let root = Root::open(directory)?;
        let listener = StdListener::bind(address)
            .map_err(|error| CallError::wrap("listen".to_owned(), error))?;
        Ok(FileServer { listener, root, limits: Limits::default() })
    }

    /// Sets other limits than the usual ones.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        FileServer { limits, ..self }
    }

    /// Returns the address on which it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until SIGINT (Ctrl-C) or SIGTERM.
    ///
    /// Answers under way are then finished, as far as [`Limits::grace`] allows, and it returns. A second
    /// signal ends the process.
    pub fn run(self) -> io::Result<()> {
        raise_descriptor_limit()?;
        let grace = self.limits.grace;
        let serving = async move {
            let clients = Clients::new();
            let accepting = create_task(self.accept(clients.clone()))?;
            serve_until_stopped(accepting, clients, grace).await
        };
        match run(serving) {
            Ok(()) | Err(LoopError::Interrupted) => Ok(()),
            Err(LoopError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Serves on the loop that runs already, until the task is cancelled. The tasks of the connections
    /// then go on.
    pub async fn serve(self) -> Result<()> {
        self.accept(Clients::new()).await
    }

    async fn accept(self, clients: Clients) -> Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        listener.set_backlog(BACKLOG)?;
        let scratch = RefCell::new(vec![0; LONGEST_HEAD + PIECE]);
        let shared = Rc::new(Shared { site: Site::new(self.root), limits: self.limits, scratch });
        loop {
            let (stream, _address) = listener.accept().await?;
            clients.add(create_task(serve_connection(stream, Rc::clone(&shared)))?);
        }
    }
}
