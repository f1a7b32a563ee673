//! One client: its socket, and what it has not yet been sent.
//!
//! A client that sends and does not read must not fill our memory. So while something is unsent we
//! do not read on: the kernel's buffers fill up, and in the end the client's own writes block.
//! That is called backpressure, and it costs us one rule: wait for one direction at a time.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use crate::Interest;

/// How far a [`Connection`] has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Something was echoed; there may be more at once.
    Echoed,
    /// Nothing can be done before the socket is ready again.
    Waiting,
    /// The client has sent its last byte, and all of it was answered: the connection is done.
    Finished,
}

/// A client whose bytes go back to where they came from.
///
/// It waits for nothing itself; a loop tells it when its socket is ready.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// Read, but not yet written: at most what one read brought. Empty while the client keeps up,
    /// and an idle client has no memory allocated.
    unsent: Vec<u8>,
}

impl Connection {
    /// Takes over a connected socket and makes it non-blocking.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        // An answer shall leave at once, and not wait for company (Nagle's algorithm).
        stream.set_nodelay(true)?;
        Ok(Connection { stream, unsent: Vec::new() })
    }

    /// Whether something is unsent, so that it waits for room and reads nothing more.
    pub fn wants_to_write(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// What to wait for: room to write as long as something is unsent, else bytes to read.
    pub fn interest(&self) -> Interest {
        if self.wants_to_write() { Interest::WRITABLE } else { Interest::READABLE }
    }

    // ANCHOR: echo
    /// Does what can be done now: one write of what is unsent; or, with nothing unsent, one read
    /// into `scratch` and one write of that.
    ///
    /// One read a turn is fair to the other clients, and the wait that follows reports what is
    /// left. All clients share `scratch`, so an idle one needs no buffer of its own. An error means
    /// that the client is gone.
    pub fn echo(&mut self, scratch: &mut [u8]) -> io::Result<Progress> {
        if self.wants_to_write() {
            return self.send_rest();
        }
        let count = match retry(|| self.stream.read(scratch)) {
            Ok(0) => return Ok(Progress::Finished),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Progress::Waiting);
            }
            Err(error) => return Err(error),
        };
        let sent = self.send(&scratch[..count])?;
        self.unsent.extend_from_slice(&scratch[sent..count]);
        Ok(self.after_writing())
    }
    // ANCHOR_END: echo

    fn send_rest(&mut self) -> io::Result<Progress> {
        let unsent = std::mem::take(&mut self.unsent);
        let sent = self.send(&unsent)?;
        self.unsent.extend_from_slice(&unsent[sent..]);
        Ok(self.after_writing())
    }

    /// Writes as much as the kernel takes, and tells how much that was.
    fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match retry(|| self.stream.write(bytes)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            result => result,
        }
    }

    fn after_writing(&self) -> Progress {
        if self.wants_to_write() { Progress::Waiting } else { Progress::Echoed }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Calls again when a signal interrupted the call.
fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
