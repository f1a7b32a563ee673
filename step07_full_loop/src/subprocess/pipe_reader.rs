//! The reading end of a pipe that can be awaited.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use step01_fd::{Read, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::{EventLoop, MAX_SIZE, Readiness, Source};

/// What a program writes. It's registered once, edge-triggered, like a socket; dropping it closes it.
pub struct PipeReader {
    pipe: OwnedFd,
    readiness: Rc<Readiness>,
    event_loop: EventLoop,
}

impl PipeReader {
    /// Takes over this end. The other one belongs to another open object, and stays as it is.
    pub(super) fn new(event_loop: &EventLoop, pipe: OwnedFd) -> Result<Self> {
        set_nonblocking(&pipe, true)?;
        let readiness = Rc::new(Readiness::default());
        let source = Source::Stream(Rc::clone(&readiness));
        event_loop.selector().register_edge(&pipe, Interest::READABLE, source)?;
        Ok(PipeReader { pipe, readiness, event_loop: event_loop.clone() })
    }

    /// Waits for bytes, reads some of them into `buffer`, and returns their number: at least one, or 0
    /// at the end.
    pub async fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            self.readiness.read.ready().await?;
            match self.try_read(buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => {}
            }
        }
    }

    /// Reads all there is until the end. If it's cancelled, what it has read is lost.
    pub async fn read_to_end(&self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            self.readiness.read.ready().await?;
            let mut scratch = self.event_loop.scratch_of(MAX_SIZE);
            match self.try_read(&mut scratch)? {
                Read::Bytes(count) => all.extend_from_slice(&scratch[..count]),
                Read::End => return Ok(all),
                Read::WouldBlock => {}
            }
        }
    }

    /// Reads what is there now, without waiting.
    pub fn try_read(&self, buffer: &mut [u8]) -> Result<Read> {
        let outcome = step01_fd::read(&self.pipe, buffer)?;
        let has_no_more = match outcome {
            Read::Bytes(count) => count < buffer.len(),
            Read::WouldBlock => true,
            Read::End => false,
        };
        if has_no_more {
            self.readiness.read.clear_ready();
        }
        Ok(outcome)
    }
}

impl AsFd for PipeReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.event_loop.forget_stream(&self.pipe);
    }
}

impl fmt::Debug for PipeReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipeReader").field(&self.pipe).finish()
    }
}
