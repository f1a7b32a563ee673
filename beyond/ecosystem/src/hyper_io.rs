//! hyper's I/O traits, implemented on top of the traits of `futures-io`. So the layer below hyper
//! can be one of the loop's sockets, or TLS on such a socket.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use asyncio::{EventLoop, LoopResult, get_running_loop};
use futures_io::{AsyncRead, AsyncWrite};
use hyper::rt::{Read, ReadBufCursor, Write};

/// A connection that implements hyper's traits.
///
/// hyper hands out uninitialised memory, which safe code can't pass to `recv(2)`. So the received
/// bytes go into the loop's scratch buffer and are copied from there: a request of 100 bytes costs
/// a copy of 100 bytes. Filling hyper's buffer with zeros first would be safe too, but it would
/// write 8 KiB or more on each poll, even if nothing has arrived. Writes aren't copied.
#[derive(Debug)]
pub struct HyperIo<T> {
    inner: T,
    event_loop: EventLoop,
}

impl<T> HyperIo<T> {
    /// Wraps a connection for use on the loop that's running on this thread. Fails if no loop is
    /// running.
    pub fn new(inner: T) -> LoopResult<Self> {
        Ok(HyperIo { inner, event_loop: get_running_loop()? })
    }

    /// Returns the wrapped connection.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

// ANCHOR: poll_read
impl<T: AsyncRead + Unpin> Read for HyperIo<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let HyperIo { inner, event_loop } = &mut *self;
        let mut scratch = event_loop.scratch(buffer.remaining());
        let count = ready!(Pin::new(inner).poll_read(context, &mut scratch))?;
        buffer.put_slice(&scratch[..count]);
        Poll::Ready(Ok(()))
    }
}
// ANCHOR_END: poll_read

impl<T: AsyncWrite + Unpin> Write for HyperIo<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_close(context)
    }

    /// Returns true, so that hyper hands over a response's head and body in a single call instead
    /// of first copying them into one buffer.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, pieces)
    }
}
