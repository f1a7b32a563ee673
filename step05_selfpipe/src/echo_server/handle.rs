//! Reaching a server from any thread: work for it to do in its own, and the wish that it stop.

use crate::{EchoServer, Sender};

/// A piece of work that the server does when it has been woken, between two events.
pub(crate) type Work = Box<dyn FnOnce(&mut EchoServer) + Send>;

/// A handle on an [`EchoServer`] that is running in another thread. (asyncio:
/// `loop.call_soon_threadsafe`)
#[derive(Debug, Clone)]
pub struct ServerHandle {
    sender: Sender<Work>,
}

impl ServerHandle {
    pub(crate) fn new(sender: Sender<Work>) -> Self {
        ServerHandle { sender }
    }

    /// Has the server do `work` in its own thread, where nobody else touches it. So it needs no
    /// lock; and while it runs no client is served, so it had better be short.
    ///
    /// Tells whether the server is still there. What it has not done when it stops is dropped, and
    /// a channel that was to bring the answer is then closed.
    pub fn post(&self, work: impl FnOnce(&mut EchoServer) + Send + 'static) -> bool {
        self.sender.send(Box::new(work)).is_ok()
    }

    /// Asks the server to stop. A server that has stopped already is asked nothing.
    pub fn stop(&self) {
        self.post(EchoServer::stop);
    }
}
