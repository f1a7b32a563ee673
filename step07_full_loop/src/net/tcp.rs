//! What a TCP stream has that other streams don't.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use step01_fd::CallError;
use step06_tasks::{Error, Result};

use super::address::Address;
use super::connect::connect_to;
use super::stream::Stream;
use crate::sleep;

/// A TCP connection.
///
/// ```no_run
/// use step07_full_loop::{TcpStream, run};
/// run(async {
///     let stream = TcpStream::connect(("example.org", 80)).await?;
///     stream.write_all(b"HEAD / HTTP/1.0\r\n\r\n").await?;
///     let mut answer = [0; 1024];
///     let count = stream.read(&mut answer).await?;
///     println!("{}", String::from_utf8_lossy(&answer[..count]));
///     Ok(())
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub type TcpStream = Stream<std::net::TcpStream>;

impl TcpStream {
    /// Connects to an address. A name is looked up first, in a thread of the loop's pool, and each of
    /// its addresses is tried in turn until one answers.
    ///
    /// The kernel gives up after minutes; a caller with less patience uses
    /// [`connect_timeout`](TcpStream::connect_timeout). A connect that's cancelled or dropped leaves
    /// no descriptor. Fails with the errors of all attempts, each of which names its address.
    pub async fn connect(address: impl Into<Address>) -> Result<TcpStream> {
        Stream::from_nonblocking(connect_to(address).await?)
    }

    /// Connects like [`connect`](TcpStream::connect), for as long as `patience` lasts: it's for the
    /// lookup and all attempts together. Fails with `TimedOut` when it's over.
    pub async fn connect_timeout(
        address: impl Into<Address>,
        patience: Duration,
    ) -> Result<TcpStream> {
        let address = address.into();
        let shown = format!("connect to {address}: no answer within {patience:?}");
        let mut connecting = pin!(TcpStream::connect(address));
        let mut timeout = pin!(sleep(patience));
        poll_fn(|context| {
            if let Poll::Ready(connected) = connecting.as_mut().poll(context) {
                return Poll::Ready(connected);
            }
            match timeout.as_mut().poll(context) {
                Poll::Ready(Ok(())) => {
                    let error = io::Error::new(io::ErrorKind::TimedOut, shown.as_str());
                    Poll::Ready(Err(Error::from(error)))
                }
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Sends small pieces at once, or lets the kernel wait a moment for more; see `TCP_NODELAY` in
    /// `tcp(7)`.
    pub fn set_nodelay(&self, nodelay: bool) -> Result<()> {
        Ok(self.socket.set_nodelay(nodelay)?)
    }

    /// Returns the address of the other side. Fails with `NotConnected` if the connection is lost.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        let call = || format!("getpeername fd {}", self.socket.as_fd().as_raw_fd());
        let named = |error| CallError::wrap(call(), error);
        self.socket.peer_addr().map_err(named)
    }

    /// Returns the address of this side.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}
