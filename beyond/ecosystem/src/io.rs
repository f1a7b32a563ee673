//! Gives the loop's descriptors the traits of `futures-io`. Most libraries that don't depend on a
//! runtime require these traits.
//!
//! The traits consist of poll functions. If the loop believes that a call won't block, the function
//! that polls for it makes the call at once. Otherwise the function leaves the task's waker with
//! the loop.
//! `Stream::read` does the same, but it's an `async` function.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut, PipeReader, PipeWriter, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use asyncio::{AsyncFd, Error, EventLoop, Interest, Result, Stream};
use futures_io::{AsyncRead, AsyncWrite};

/// A socket or one end of a pipe, registered with the loop. With a socket, it implements
/// [`AsyncRead`] and [`AsyncWrite`]; with a pipe's end, whichever of them the end allows.
///
/// Make an `Io` from one of the loop's streams with `Io::from(stream)`, or from a pipe's end with
/// [`Io::reader`] or [`Io::writer`]. Dropping the `Io` closes the descriptor.
///
/// If the task that polls an `Io` is cancelled, the poll fails with an [`io::Error`] in which
/// [`cancellation_in`](crate::cancellation_in) finds the cancellation.
#[derive(Debug)]
pub struct Io<S: AsFd> {
    fd: AsyncFd<S>,
}

impl Io<PipeReader> {
    /// Wraps a pipe's read end, which has to be non-blocking.
    pub fn reader(end: PipeReader) -> Result<Self> {
        Ok(Io { fd: AsyncFd::with_interest(end, Interest::READABLE)? })
    }
}

impl Io<PipeWriter> {
    /// Wraps a pipe's write end, which has to be non-blocking.
    pub fn writer(end: PipeWriter) -> Result<Self> {
        Ok(Io { fd: AsyncFd::with_interest(end, Interest::WRITABLE)? })
    }
}

impl<S: AsFd> From<Stream<S>> for Io<S> {
    fn from(stream: Stream<S>) -> Self {
        Io { fd: stream.into_async_fd() }
    }
}

impl<S: AsFd> Io<S> {
    /// Returns the socket or the pipe's end.
    pub fn get_ref(&self) -> &S {
        self.fd.get_ref()
    }

    /// Returns the loop with which the descriptor is registered.
    pub fn event_loop(&self) -> &EventLoop {
        self.fd.event_loop()
    }

    // ANCHOR: poll_to_read
    /// Makes a call that reads, as soon as the call won't block. `room` is the maximum number of
    /// bytes that the call can read.
    fn poll_to_read(
        &self,
        context: &mut Context<'_>,
        room: usize,
        mut call: impl FnMut(&S) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.fd.poll_readable(context)).map_err(into_io)?;
            match call(self.get_ref()) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.fd.clear_readable(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => {
                    // If the call has read fewer bytes than there was room for, the kernel has no
                    // more, unless the read ended in front of TCP's urgent data, and the next poll
                    // needn't ask. A count of 0 is the end, which stays readable.
                    if outcome.as_ref().is_ok_and(|&count| count > 0 && count < room) {
                        self.fd.note_short_read();
                    }
                    return Poll::Ready(outcome);
                }
            }
        }
    }
    // ANCHOR_END: poll_to_read

    /// Makes a call that writes, as soon as the call won't block. `offered` is the maximum number
    /// of bytes that the call can write.
    fn poll_to_write(
        &self,
        context: &mut Context<'_>,
        offered: usize,
        mut call: impl FnMut(&S) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.fd.poll_writable(context)).map_err(into_io)?;
            match call(self.get_ref()) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.fd.clear_writable(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => {
                    if outcome.as_ref().is_ok_and(|&count| count < offered) {
                        self.fd.clear_writable();
                    }
                    return Poll::Ready(outcome);
                }
            }
        }
    }
}

impl<S: AsFd> AsyncRead for Io<S>
where
    for<'a> &'a S: Read,
{
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_to_read(context, buffer.len(), |mut from| from.read(buffer))
    }

    fn poll_read_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
    ) -> Poll<io::Result<usize>> {
        let room = buffers.iter().map(|buffer| buffer.len()).sum();
        self.poll_to_read(context, room, |mut from| from.read_vectored(buffers))
    }
}

impl<S: AsFd + EndsWriting> AsyncWrite for Io<S>
where
    for<'a> &'a S: Write,
{
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_to_write(context, bytes.len(), |mut to| to.write(bytes))
    }

    /// Writes several pieces, such as a response's head and body, in one system call.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let offered = pieces.iter().map(|piece| piece.len()).sum();
        self.poll_to_write(context, offered, |mut to| to.write_vectored(pieces))
    }

    /// Does nothing, since an `Io` has no buffer: the kernel already has all the written bytes.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(match self.get_ref().end_writing() {
            // The connection has already ended.
            Err(error) if error.kind() == ErrorKind::NotConnected => Ok(()),
            ended => ended,
        })
    }
}

/// Tells the other side that no more bytes will come. The other side of a socket can still answer.
pub trait EndsWriting {
    /// Sends the end of the output.
    fn end_writing(&self) -> io::Result<()>;
}

impl EndsWriting for TcpStream {
    fn end_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

impl EndsWriting for UnixStream {
    fn end_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

/// A pipe's output ends only when every copy of its write end is closed, so `end_writing` does
/// nothing. Drop the [`Io`] instead.
impl EndsWriting for PipeWriter {
    fn end_writing(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Wraps one of the loop's errors in an `io::Error`, which libraries can handle. The new error
/// contains the loop's error unchanged, even if that's a cancellation rather than a system call's
/// error. A cancellation doesn't get the kind `Interrupted`, since libraries would then try again.
fn into_io(error: Error) -> io::Error {
    let kind = match &error {
        Error::Io(inner) => inner.kind(),
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
