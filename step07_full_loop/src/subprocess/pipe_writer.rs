//! The writing end of a pipe that can be awaited.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use step01_fd::{Written, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::{EventLoop, Readiness, Source};

/// What a program reads. It's registered once, edge-triggered, like a socket; dropping it closes it,
/// and the program reads the end.
pub struct PipeWriter {
    pipe: OwnedFd,
    readiness: Rc<Readiness>,
    event_loop: EventLoop,
}

impl PipeWriter {
    /// Takes over this end. The other one belongs to another open object, and stays as it is.
    pub(super) fn new(event_loop: &EventLoop, pipe: OwnedFd) -> Result<Self> {
        set_nonblocking(&pipe, true)?;
        let readiness = Rc::new(Readiness::of_new_socket());
        let source = Source::Stream(Rc::clone(&readiness));
        event_loop.selector().register_edge(&pipe, Interest::WRITABLE, source)?;
        Ok(PipeWriter { pipe, readiness, event_loop: event_loop.clone() })
    }

    /// Writes all of `bytes`, and waits whenever there's no room. Fails with `BrokenPipe` if the
    /// program has ended or reads no more.
    pub async fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Writes as much as there's room for now, and returns the number of bytes, which can be 0.
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize> {
        match step01_fd::write(&self.pipe, bytes)? {
            Written::Bytes(count) => Ok(count),
            Written::WouldBlock => {
                self.readiness.write.clear_ready();
                Ok(0)
            }
        }
    }
}

impl AsFd for PipeWriter {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.event_loop.forget_stream(&self.pipe);
    }
}

impl fmt::Debug for PipeWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipeWriter").field(&self.pipe).finish()
    }
}
