//! What a connection calls, asyncio's `Protocol`; and the sockets that it can have: streams of
//! bytes, over TCP or within the machine.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use step01_fd::{CallError, set_nonblocking};
use step06_tasks::{Error, Result};

use crate::Transport;

/// The methods that a connection calls. All have a default, as asyncio's have.
///
/// They're called in this order, each by a callback of the loop:
///
/// ```text
/// connection_made, once
/// data_received, any number of times
/// eof_received, at most once (unless reading is paused and resumed after it)
/// connection_lost, once
/// ```
///
/// `pause_writing` and `resume_writing` come in between, in turn. Whatever filled or emptied the
/// buffer calls them: `pause_writing`, for example, runs inside your own `write`. That's why the
/// methods take `&self`, and a protocol's state is in `Cell`s and `RefCell`s.
///
/// The methods get the transport. asyncio hands it to `connection_made` alone, and the protocol
/// keeps it. Here protocol and transport would then hold each other until the connection is lost,
/// which is allowed but hardly ever needed.
///
/// If `data_received` or `eof_received` fails or panics, the exception handler is told in asyncio's
/// words (`Fatal error: protocol.data_received() call failed.`), and this connection ends with that
/// error. An [`Error::Io`] isn't reported but ends it just the same, as an `OSError` does in
/// asyncio. If another method fails, the exception handler is told, and the connection goes on.
///
/// ```
/// use std::rc::Rc;
/// use asyncio::{EventLoopExt as _, Protocol, Result, Transport, get_running_loop, run};
///
/// struct Echo;
///
/// impl Protocol for Echo {
///     fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
///         transport.write(data)
///     }
/// }
///
/// run(async {
///     let server = get_running_loop()?.create_server(|| Echo, "127.0.0.1:0").await?;
///     server.close();
///     server.wait_closed().await
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub trait Protocol {
    /// The connection is made. Reading begins when this has returned, a tick later at the earliest.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection goes on; see [`Protocol`].
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }

    /// Some bytes have arrived, at least one. Where one call ends and the next begins means
    /// nothing.
    ///
    /// They're in the loop's own buffer, which the next read overwrites, so copy what you want to
    /// keep.
    ///
    /// # Errors
    ///
    /// An error ends the connection; see [`Protocol`].
    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        let _ = (transport, data);
        Ok(())
    }

    /// The other side will send no more. Return true to keep the connection open, so that you can
    /// still write; otherwise it's closed, once all is sent.
    ///
    /// # Errors
    ///
    /// An error ends the connection; see [`Protocol`].
    fn eof_received(&self, transport: &Transport) -> Result<bool> {
        let _ = transport;
        Ok(false)
    }

    /// The connection is over: without an error if it was closed or aborted here, or by the other
    /// side's end. The socket is closed when this has returned.
    ///
    /// # Errors
    ///
    /// An error is reported; see [`Protocol`].
    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        let _ = error;
        Ok(())
    }

    /// More is unsent than the upper limit: stop writing. Whatever is written nevertheless is kept.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection goes on; see [`Protocol`].
    fn pause_writing(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }

    /// No more is unsent than the lower limit: go on writing.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection goes on; see [`Protocol`].
    fn resume_writing(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }
}

/// A connected stream socket. It's made from std's, by `into()`.
#[derive(Debug)]
pub enum StreamSocket {
    /// A TCP connection.
    Tcp(TcpStream),
    /// A connection to another process of the machine, or to the other end of a pair.
    Unix(UnixStream),
}

impl StreamSocket {
    /// Makes it ready for a loop. Small writes are sent at once: Nagle's algorithm, which waits for
    /// more, is off. (asyncio: `_set_nodelay`)
    pub(crate) fn prepare(&self) -> io::Result<()> {
        set_nonblocking(self, true)?;
        match self {
            StreamSocket::Tcp(stream) => stream.set_nodelay(true).map_err(|reason| {
                let call = format!("setsockopt TCP_NODELAY fd {}", self.as_fd().as_raw_fd());
                CallError::wrap(call, reason)
            }),
            StreamSocket::Unix(_) => Ok(()),
        }
    }
}

impl AsFd for StreamSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            StreamSocket::Tcp(stream) => stream.as_fd(),
            StreamSocket::Unix(stream) => stream.as_fd(),
        }
    }
}

impl From<TcpStream> for StreamSocket {
    fn from(stream: TcpStream) -> Self {
        StreamSocket::Tcp(stream)
    }
}

impl From<UnixStream> for StreamSocket {
    fn from(stream: UnixStream) -> Self {
        StreamSocket::Unix(stream)
    }
}
