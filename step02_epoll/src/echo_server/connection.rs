//! One client's socket, and the bytes of the answer that the socket hasn't taken yet.
//!
//! A client that sends but never reads mustn't fill our memory. So while bytes are unsent, we read
//! nothing: the kernel's buffers fill up until the client's own writes block. This is called
//! backpressure, and it needs one rule: wait for one direction at a time.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use step01_fd::{Outbox, Read, read, set_nonblocking};

use crate::Interest;

// ANCHOR: progress
/// The outcome of a turn of a [`Connection`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Bytes were echoed, and more might have arrived.
    Echoed,
    /// The connection can do no more until its socket is ready again.
    Waiting,
    /// The client will send no more, and all its bytes are answered: close the connection.
    Finished,
}
// ANCHOR_END: progress

/// The connection to a client that gets back the bytes it sends.
///
/// A connection never waits: a loop calls [`echo`](Connection::echo) when the socket is ready.
#[derive(Debug)]
// ANCHOR: connection
pub struct Connection {
    stream: TcpStream,
    /// The bytes that were read but not yet written: at most the bytes of one read.
    outbox: Outbox,
}
// ANCHOR_END: connection

impl Connection {
    /// The size of the buffer that a server reads into. All clients share one buffer, so it can be
    /// large, and a client that sends a lot costs few system calls. The size also limits the number
    /// of bytes that a client can have unsent.
    pub const SCRATCH_SIZE: usize = 64 * 1024;

    /// Takes over a connected socket and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Fails if the kernel refuses `O_NONBLOCK` or `TCP_NODELAY`.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        set_nonblocking(&stream, true)?;
        // Send small replies immediately: disable Nagle's algorithm.
        stream.set_nodelay(true)?;
        Ok(Connection { stream, outbox: Outbox::new() })
    }

    /// Returns true if bytes are unsent. The connection then waits for room and reads nothing.
    pub fn wants_to_write(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns the direction to wait for: writing while bytes are unsent, otherwise reading.
    pub fn interest(&self) -> Interest {
        if self.wants_to_write() { Interest::WRITABLE } else { Interest::READABLE }
    }

    // ANCHOR: echo
    /// Takes one turn: writes the unsent bytes or, if there are none, reads once into `scratch` and
    /// writes the bytes that it has read. For the next turn, the outbox keeps the bytes that the
    /// socket doesn't take.
    ///
    /// One read per turn is fair to the other clients; if more bytes have arrived, the next wait
    /// reports the client again. The read takes as many bytes as fit into `scratch`, which mustn't
    /// be empty. All clients share `scratch`, so a connection without unsent bytes owns no memory.
    ///
    /// Returns `Finished` once the client will send no more and all its bytes are answered.
    ///
    /// # Errors
    ///
    /// Fails with the read's or the write's error if the connection is broken.
    pub fn echo(&mut self, scratch: &mut [u8]) -> io::Result<Progress> {
        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        match read(&self.stream, scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
    }
    // ANCHOR_END: echo

    fn after_writing(&mut self) -> Progress {
        if self.wants_to_write() {
            return Progress::Waiting;
        }
        // An emptied outbox keeps its memory, and an idle client shouldn't own any.
        self.outbox = Outbox::new();
        Progress::Echoed
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
