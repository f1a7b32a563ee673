//! Servers to measure. Each server runs in a separate thread or process, so that we can measure its
//! processor time alone, including its time in the kernel.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use rustix::thread::gettid;

/// Starts a server and reports its address and a way to stop it. If the server runs in the calling
/// thread, the function returns only when the server has stopped.
pub(crate) type Serve = fn(Sender<Started>) -> Result<()>;

pub(crate) struct Started {
    pub(crate) address: SocketAddr,
    /// The file in which the kernel records the server's processor time: see
    /// `Documentation/scheduler/sched-stats.rst` in the kernel's source.
    pub(crate) schedstat: PathBuf,
    pub(crate) stop: Box<dyn FnOnce() + Send + Sync>,
}

impl Started {
    /// Describes a server that runs in the calling thread.
    pub(crate) fn new(address: SocketAddr, stop: impl FnOnce() + Send + Sync + 'static) -> Self {
        let schedstat = format!("/proc/self/task/{}/schedstat", gettid()).into();
        Started { address, schedstat, stop: Box::new(stop) }
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    schedstat: PathBuf,
    stop: Box<dyn FnOnce() + Send + Sync>,
    end: JoinHandle<Result<()>>,
}

impl Server {
    pub(crate) fn start(serve: Serve) -> Result<Self> {
        let (sender, started) = channel();
        let end = thread::spawn(move || serve(sender));
        let Started { address, schedstat, stop } =
            started.recv().context("the server's address")?;
        Ok(Server { address, schedstat, stop, end })
    }

    /// Returns the processor time that the server has used so far.
    pub(crate) fn processor_nanos(&self) -> Result<u64> {
        let text = fs::read_to_string(&self.schedstat)
            .with_context(|| format!("read {}", self.schedstat.display()))?;
        let nanos = text.split_whitespace().next().context("a schedstat file has three fields")?;
        Ok(nanos.parse()?)
    }

    pub(crate) fn stop(self) -> Result<()> {
        (self.stop)();
        self.end.join().map_err(|_| anyhow!("the server panicked"))?
    }
}
