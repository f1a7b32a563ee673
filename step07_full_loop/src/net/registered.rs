//! The core of every socket that can be awaited: registered once, edge-triggered, with its readiness
//! cached.
//!
//! A socket is registered when it's made and stays so until it's dropped, for every direction that it
//! will ever use. What the kernel reports about it is kept in a [`Readiness`], which the calls ask
//! before they wait. So a call that finds something costs one system call, and one that doesn't costs
//! a second one, later, when there's news. (tokio: `PollEvented`, `Registration`)

use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::{DirectionState, EventLoop, Readiness, Source, get_running_loop};

/// A socket in the selector of a loop. Dropping it unregisters the socket first, and then drops it.
pub(crate) struct Registered<S: AsFd> {
    socket: S,
    event_loop: EventLoop,
}

impl<S: AsFd> Registered<S> {
    /// Registers a non-blocking socket with the loop that runs in this thread.
    pub(crate) fn new(socket: S, interest: Interest, readiness: &Rc<Readiness>) -> Result<Self> {
        let event_loop = get_running_loop()?;
        let source = Source::Stream(Rc::clone(readiness));
        // In a statement of its own: the socket's type can be the program's.
        let fd = socket.as_fd();
        event_loop.selector().register_edge(fd, interest, source)?;
        Ok(Registered { socket, event_loop })
    }

    pub(crate) fn event_loop(&self) -> &EventLoop {
        &self.event_loop
    }
}

impl<S: AsFd> Deref for Registered<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.socket
    }
}

impl<S: AsFd> AsFd for Registered<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl<S: AsFd> Drop for Registered<S> {
    fn drop(&mut self) {
        self.event_loop.forget_stream(&self.socket);
    }
}

impl DirectionState {
    /// Makes a call on a socket for datagrams until it has an outcome other than "would block" or
    /// "interrupted", and waits before each try until the direction is ready. (tokio: `async_io`)
    pub(crate) async fn retry<T>(&self, mut call: impl FnMut() -> io::Result<T>) -> Result<T> {
        loop {
            self.ready().await?;
            match call() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // An earlier error, such as a refused message, ends a stream, but not this socket.
                    self.reopen();
                    self.clear_ready();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return Ok(outcome?),
            }
        }
    }
}

/// Waits until a socket that isn't registered yet becomes writable: an attempt to connect is over.
pub(super) async fn until_writable(socket: impl AsFd) -> Result<()> {
    let readiness = Rc::new(Readiness::default());
    let _registered = Registered::new(&socket, Interest::WRITABLE, &readiness)?;
    readiness.write.ready().await
}
