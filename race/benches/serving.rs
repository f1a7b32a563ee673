//! Servers that are measured: each runs in a thread of its own, and only that thread's processor time
//! counts, in the kernel too.

use std::fs;
use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use rustix::thread::{Pid, gettid};

/// Serves until it's stopped, and first says where it listens and how it's stopped.
pub(crate) type Serve = fn(Sender<Started>) -> Result<()>;

pub(crate) struct Started {
    address: SocketAddr,
    thread: Pid,
    stop: Box<dyn FnOnce() + Send + Sync>,
}

impl Started {
    pub(crate) fn new(address: SocketAddr, stop: impl FnOnce() + Send + Sync + 'static) -> Self {
        Started { address, thread: gettid(), stop: Box::new(stop) }
    }
}

/// A server that runs.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    thread: Pid,
    stop: Box<dyn FnOnce() + Send + Sync>,
    end: JoinHandle<Result<()>>,
}

impl Server {
    pub(crate) fn start(serve: Serve) -> Result<Self> {
        let (sender, started) = channel();
        let end = thread::spawn(move || serve(sender));
        let Started { address, thread, stop } = started.recv().context("the server's address")?;
        Ok(Server { address, thread, stop, end })
    }

    /// Returns the processor time that the server's thread has used so far, by the kernel's own
    /// count: see `proc_pid_schedstat`.
    pub(crate) fn processor_nanos(&self) -> Result<u64> {
        let file = format!("/proc/self/task/{}/schedstat", self.thread.as_raw_nonzero());
        let text = fs::read_to_string(&file).with_context(|| format!("read {file}"))?;
        let nanos = text.split_whitespace().next().context("a schedstat file has three fields")?;
        Ok(nanos.parse()?)
    }

    pub(crate) fn stop(self) -> Result<()> {
        (self.stop)();
        self.end.join().map_err(|_| anyhow!("the server panicked"))?
    }
}
