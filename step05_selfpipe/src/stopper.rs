//! Asking a server to stop, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use crate::Waker;

/// Stops an [`EchoServer`](crate::EchoServer), from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    stop: Arc<AtomicBool>,
    waker: Waker,
}

impl Stopper {
    pub(crate) fn new(waker: Waker) -> Self {
        Stopper { stop: Arc::default(), waker }
    }

    /// Asks the server to stop. First the news, then the byte: a loop that wakes finds the news.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.waker.wake();
    }

    /// Whether the server was asked to stop.
    pub(crate) fn was_asked(&self) -> bool {
        self.stop.load(SeqCst)
    }
}
