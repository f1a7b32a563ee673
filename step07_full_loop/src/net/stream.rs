//! A TCP connection whose reads and writes can be awaited.
//!
//! The socket is registered once, for both directions, and each call is tried at once: most of the
//! time there is something to read or room to write, and no task waits. Only when the kernel says
//! that it would block does the task wait for the next event.

use std::io;
use std::net::{Shutdown, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use step01_fd::{Read, Written, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::EventLoop;
use crate::event_loop::Readiness;
use crate::event_loop::Source;
use crate::event_loop::get_running_loop;

/// A connection; asyncio's `StreamReader` and `StreamWriter` in one, without their buffers.
///
/// It belongs to the loop on which it was made. Dropping it closes the connection.
pub struct TcpStream {
    pub(crate) socket: std::net::TcpStream,
    pub(crate) readiness: Rc<Readiness>,
    event_loop: EventLoop,
}

impl TcpStream {
    /// Takes over an existing connection, on the loop that runs in this thread.
    pub fn from_std(socket: std::net::TcpStream) -> Result<Self> {
        set_nonblocking(&socket, true)?;
        let event_loop = get_running_loop()?;
        let readiness = Rc::new(Readiness::of_new_socket());
        let both = Interest::READABLE | Interest::WRITABLE;
        event_loop.selector().register_edge(
            &socket,
            both,
            Source::Stream(Rc::clone(&readiness)),
        )?;
        Ok(TcpStream { socket, readiness, event_loop })
    }

    /// Waits until there is something to read: bytes, the end, or an error.
    ///
    /// With [`try_read`](TcpStream::try_read) it lets many connections share one buffer, so that
    /// an idle one owns none.
    pub async fn readable(&self) -> Result<()> {
        self.readiness.read.ready().await
    }

    // ANCHOR: try_read
    /// Reads what is there now, without waiting.
    pub fn try_read(&self, buffer: &mut [u8]) -> Result<Read> {
        let outcome = step01_fd::read(&self.socket, buffer)?;
        let has_no_more = match outcome {
            // Less than there was room for: the kernel has no more. This spares the call that
            // would only say so.
            Read::Bytes(count) => count < buffer.len(),
            Read::WouldBlock => true,
            Read::End => false,
        };
        if has_no_more {
            self.readiness.read.clear_ready();
        }
        Ok(outcome)
    }
    // ANCHOR_END: try_read

    /// Reads into `buffer` and returns the number of bytes: at least one, or 0 at the end.
    pub async fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            self.readable().await?;
            match self.try_read(buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => {}
            }
        }
    }

    /// Writes as much as there's room for now, and returns the number of bytes, which can be 0.
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize> {
        match step01_fd::write(&self.socket, bytes)? {
            Written::Bytes(count) => Ok(count),
            Written::WouldBlock => {
                self.readiness.write.clear_ready();
                Ok(0)
            }
        }
    }

    #[allow(unused_mut, reason = "an answer can also count what it has written")]
    // ANCHOR: write_all
    /// Writes all of `bytes`, without a copy of them, and waits whenever there's no room.
    ///
    /// Each try waits first, once, until the direction is ready, even if there's likely to be room:
    /// such a wait is over at once, but it delivers a cancellation, and now and then it lets other
    /// tasks run, however fast the other side reads. Each try offers all that's left, so if there's
    /// room for all of the bytes, one call of write(2) is enough; if there isn't, two find that out.
    /// Once all is written, it returns without another wait; for no bytes, it makes no call and
    /// doesn't wait at all. Fails with the write's own error.
    pub async fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }
    // ANCHOR_END: write_all

    /// Ends one direction or both; `Shutdown::Write` sends the other side the end.
    pub fn shutdown(&self, how: Shutdown) -> Result<()> {
        Ok(self.socket.shutdown(how)?)
    }

    /// Returns the address of the other side.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket.peer_addr()
    }

    /// Returns the address of this side.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

impl AsFd for TcpStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        self.event_loop.forget_stream(&self.socket);
    }
}

impl std::fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TcpStream").field(&self.socket).finish()
    }
}
