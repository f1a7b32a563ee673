//! Connections that fail when the client stops reading. Without a limit, a client that doesn't read
//! could keep a page in memory forever.

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ecosystem::{Io, LoopSleep, LoopTimer};
use futures_io::{AsyncRead, AsyncWrite};
use rustix::net::sockopt::set_tcp_user_timeout;

/// TCP's user timeout, in milliseconds: the time in which the other machine has to acknowledge
/// bytes or make room for more bytes. The timeout ends the connections of clients that never read
/// and of phones that have silently disappeared. Without the timeout, such a phone's connection
/// would last a quarter of an hour. A silent stream sends a keep-alive message every 15 seconds, so
/// the timeout applies to silent streams, too.
const UNREAD: u32 = 20_000;

/// The maximum time for which a write may wait for room. A client that reads a little now and then
/// never reaches TCP's timeout but also never makes enough room for a write.
const STALLED: Duration = Duration::from_secs(30);

/// A connection that fails if the client doesn't accept any bytes for a while.
#[derive(Debug)]
pub struct Patient<T> {
    io: T,
    waiting: Option<LoopSleep>,
}

/// Wraps a connection and sets its limits.
pub fn patient(io: Io<TcpStream>) -> io::Result<Patient<Io<TcpStream>>> {
    set_tcp_user_timeout(io.get_ref(), UNREAD)?;
    Ok(Patient { io, waiting: None })
}

impl<T: Unpin> Patient<T> {
    /// Polls an operation that can wait for room, such as a write, and fails if the operation waits
    /// too long.
    fn poll_limited<R>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if let Poll::Ready(done) = poll(Pin::new(&mut self.io), cx) {
            self.waiting = None;
            return Poll::Ready(done);
        }
        let waiting = self.waiting.get_or_insert_with(|| LoopTimer.sleep(STALLED));
        Pin::new(waiting).poll(cx).map(|()| {
            let why = "the client isn't reading what the server sends";
            Err(io::Error::new(io::ErrorKind::TimedOut, why))
        })
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Patient<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Patient<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_limited(cx, |io, cx| io.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_limited(cx, |io, cx| io.poll_write_vectored(cx, pieces))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_limited(cx, AsyncWrite::poll_flush)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_limited(cx, AsyncWrite::poll_close)
    }
}
