//! Graceful shutdown: on a request from another thread or a signal, the server cancels its tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use step05_selfpipe::LoopWaker;

/// Stops an [`EchoServer`](super::EchoServer), from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    is_asked: Arc<AtomicBool>,
    waker: LoopWaker,
}

impl Stopper {
    pub(crate) fn new(waker: LoopWaker) -> Self {
        Stopper { is_asked: Arc::default(), waker }
    }

    /// Asks the server to stop. Sets the flag before writing the byte, so the loop finds the flag
    /// set when the byte wakes it.
    pub fn stop(&self) {
        // Release and Acquire: when the server stops, it sees everything that the caller did before
        // the call.
        self.is_asked.store(true, Ordering::Release);
        self.waker.wake();
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Acquire)
    }
}
