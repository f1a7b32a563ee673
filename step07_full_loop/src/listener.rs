//! A TCP listener whose connections can be awaited.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::rc::Rc;
use std::time::Duration;

use step01_fd::set_nonblocking;
use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::EventLoop;
use crate::readiness::Readiness;
use crate::running::get_running_loop;
use crate::source::Source;
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
    /// A connection that its peer closed before it was accepted is skipped. When the process or the
    /// system has no descriptor left, accepting pauses for a second, as asyncio does: the
    /// connection would stay in the queue, and the loop would spin over it.
    pub async fn accept(&self) -> Result<(TcpStream, SocketAddr)> {
        loop {
            self.readiness.read.ready().await?;
            match self.socket.accept() {
                Ok((socket, address)) => return Ok((TcpStream::from_std(socket)?, address)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.readiness.read.clear_ready();
                }
                Err(error) if is_about_that_connection(&error) => {}
                Err(error) if is_out_of_resources(&error) => self.pause(&error).await?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn pause(&self, error: &io::Error) -> Result<()> {
        self.event_loop.core.queue.report(&format!("accept: {error}; trying again in 1 s"));
        sleep(RETRY_DELAY).await
    }
}

fn is_about_that_connection(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}

/// Returns true for EMFILE, ENFILE, ENOBUFS and ENOMEM, of which only the last has its own
/// `ErrorKind`.
fn is_out_of_resources(error: &io::Error) -> bool {
    const EMFILE: i32 = 24;
    const ENFILE: i32 = 23;
    const ENOBUFS: i32 = 105;
    error.kind() == io::ErrorKind::OutOfMemory
        || matches!(error.raw_os_error(), Some(EMFILE | ENFILE | ENOBUFS))
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
