//! A handle through which other threads give work to a running server or stop it.

use crate::{EchoServer, Sender};

/// A function that another thread sends to the server, which calls it between two events.
pub(crate) type Work = Box<dyn FnOnce(&mut EchoServer) + Send>;

/// A handle to an [`EchoServer`] that runs in another thread. Its [`post`](Self::post) is the
/// counterpart of asyncio's `loop.call_soon_threadsafe`.
#[derive(Debug, Clone)]
pub struct ServerHandle {
    sender: Sender<Work>,
}

impl ServerHandle {
    pub(crate) fn new(sender: Sender<Work>) -> Self {
        ServerHandle { sender }
    }

    /// Posts `work` to the server's own thread, where it needs no lock. No client is served while
    /// `work` runs, so keep it short.
    ///
    /// Returns false if the server has ended. Work that's still queued when the server stops is
    /// dropped along with everything it owns, such as the sender of a channel for your answer.
    pub fn post(&self, work: impl FnOnce(&mut EchoServer) + Send + 'static) -> bool {
        self.sender.send(Box::new(work)).is_ok()
    }

    /// Asks the server to stop. Does nothing if the server has already stopped.
    pub fn stop(&self) {
        self.post(EchoServer::stop);
    }
}
