//! A TCP listener whose connections can be awaited.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::rc::Rc;
use std::time::Duration;

use step01_fd::set_nonblocking;
use step03_selector::Interest;
use step06_tasks::{Error, ExceptionContext, Result};

use super::accept_failure::Failure;
use crate::event_loop::EventLoop;
use crate::event_loop::Readiness;
use crate::event_loop::Source;
use crate::event_loop::get_running_loop;
use crate::{TcpStream, sleep};

/// The pause in accepting when no descriptors are left; asyncio's `ACCEPT_RETRY_DELAY`.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Waits for connections. Dropping it closes the port.
pub struct TcpListener {
    socket: std::net::TcpListener,
    readiness: Rc<Readiness>,
    event_loop: EventLoop,
}

impl TcpListener {
    /// Listens on an address, on the loop that runs in this thread. Port 0 lets the kernel choose.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self> {
        let socket = std::net::TcpListener::bind(address)?;
        set_nonblocking(&socket, true)?;
        let event_loop = get_running_loop()?;
        let readiness = Rc::new(Readiness::default());
        let source = Source::Stream(Rc::clone(&readiness));
        event_loop.selector().register_edge(&socket, Interest::READABLE, source)?;
        Ok(TcpListener { socket, readiness, event_loop })
    }

    /// Returns the address it listens on.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Waits for a connection, and returns it with the address of the other side.
    ///
    /// What goes wrong with one connection is reported, and the next one is accepted: the network has
    /// failed it already, or it can't be registered. If its peer has only closed it, it's skipped
    /// without a word. When the process or the system has no descriptor left, accepting pauses for a
    /// second, as asyncio does: the connection would stay in the queue, and the loop would spin over
    /// it. Fails if the listener itself is broken.
    pub async fn accept(&self) -> Result<(TcpStream, SocketAddr)> {
        loop {
            self.readiness.read.ready().await?;
            match self.socket.accept() {
                Ok((socket, address)) => match TcpStream::from_std(socket) {
                    Err(error @ Error::Io(_)) => {
                        self.report("a connection couldn't be set up", error);
                    }
                    made => return Ok((made?, address)),
                },
                Err(error) => match Failure::of(&error) {
                    Failure::NothingThere => self.readiness.read.clear_ready(),
                    Failure::PeerLeft => {}
                    Failure::OneConnection => self.report("socket.accept() failed", error),
                    Failure::OutOfResources => {
                        self.report("socket.accept() out of system resource", error);
                        sleep(RETRY_DELAY).await?;
                    }
                    Failure::Lasting => return Err(error.into()),
                },
            }
        }
    }

    fn report(&self, message: &str, error: impl Into<Error>) {
        let context = ExceptionContext::new(message).with_exception(error.into());
        self.event_loop.call_exception_handler(&context);
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        self.event_loop.forget_stream(&self.socket);
    }
}

impl std::fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TcpListener").field(&self.socket).finish()
    }
}
