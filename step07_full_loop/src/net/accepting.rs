//! Accepting connections, for listeners of any family.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::Rc;
use std::time::Duration;

use step01_fd::{CallError, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::{Error, ExceptionContext, Result};

use super::accept_failure::Failure;
use super::registered::Registered;
use super::socket_type::expect_stream;
use super::stream::Stream;
use crate::event_loop::{EventLoop, Readiness};
use crate::sleep;

/// The pause in accepting when no descriptors are left; asyncio's `ACCEPT_RETRY_DELAY`.
pub(super) const RETRY_DELAY: Duration = Duration::from_secs(1);

/// A listener that's registered, and what's known of it.
pub(crate) struct Listening<L: AsFd> {
    socket: Registered<L>,
    readiness: Rc<Readiness>,
}

impl<L: AsFd> Listening<L> {
    /// Registers a listener with the loop that runs in this thread. Its connections will be streams, as
    /// it is itself.
    pub(super) fn new(socket: L) -> Result<Self> {
        expect_stream(&socket)?;
        set_nonblocking(&socket, true)?;
        let readiness = Rc::new(Readiness::default());
        let socket = Registered::new(socket, Interest::READABLE, &readiness)?;
        Ok(Listening { socket, readiness })
    }

    pub(super) fn socket(&self) -> &L {
        &self.socket
    }

    /// Waits for a connection that can be set up; see [`TcpListener::accept`](crate::TcpListener).
    pub(super) async fn accept<S: AsFd, A>(
        &self,
        accept: impl Fn(&L) -> io::Result<(S, A)>,
    ) -> Result<(Stream<S>, A)> {
        loop {
            self.readiness.read.ready().await?;
            match accept(&self.socket) {
                Ok((socket, address)) => match Stream::of_stream_socket(socket) {
                    Err(error @ Error::Io(_)) => {
                        report(self.event_loop(), "a connection couldn't be set up", error);
                    }
                    made => return Ok((made?, address)),
                },
                Err(error) => match Failure::of(&error) {
                    Failure::NothingThere => self.readiness.read.clear_ready(),
                    failure => self.get_over(failure, error).await?,
                },
            }
        }
    }

    /// Does what a failure asks for before the next try. Fails if no try can help.
    async fn get_over(&self, failure: Failure, error: io::Error) -> Result<()> {
        let error =
            CallError::wrap(format!("accept fd {}", self.socket.as_fd().as_raw_fd()), error);
        match failure {
            Failure::NothingThere | Failure::PeerLeft => {}
            Failure::OneConnection => {
                report(self.event_loop(), "socket.accept() failed", error);
            }
            Failure::OutOfResources => {
                report(self.event_loop(), "socket.accept() out of system resource", error);
                sleep(RETRY_DELAY).await?;
            }
            Failure::Lasting => return Err(error.into()),
        }
        Ok(())
    }

    fn event_loop(&self) -> &EventLoop {
        self.socket.event_loop()
    }
}

/// Reports what has no caller to whom it could be returned.
pub(crate) fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}
