//! asyncio's `Protocol`, whose methods a connection calls, and the sockets that a connection can
//! use: byte streams, over TCP or between programs on one machine.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use step01_fd::{CallError, set_nonblocking};
use step06_tasks::{Error, Result};

use crate::Transport;

/// The methods that a connection calls. All have a default implementation, as in asyncio.
///
/// The connection calls them in this order, each in a callback of the loop:
///
/// ```text
/// connection_made, once
/// data_received, any number of times
/// eof_received, at most once (unless reading is paused and resumed after it)
/// connection_lost, once (Transport's docs name two exceptions)
/// ```
///
/// `pause_writing` and `resume_writing` are called in between, alternately. The code that fills or
/// empties the buffer of unsent bytes calls them: `pause_writing`, for example, runs inside your
/// own `write`. That's why the methods take `&self`, and why a protocol keeps its state in `Cell`s
/// and `RefCell`s.
///
/// All methods but `connection_lost` get the transport. asyncio passes the transport only to
/// `connection_made`, and the protocol stores it. Here a protocol hardly ever needs to store its
/// transport. If a protocol stores it anyway, the two form a cycle of references, which ends when
/// the connection is lost.
///
/// If `data_received` or `eof_received` fails or panics, the exception handler gets the error with
/// asyncio's message (`Fatal error: protocol.data_received() call failed.`), and the connection
/// ends with that error. An [`Error::Io`] also ends the connection but isn't reported, like
/// asyncio's `OSError`. If another method fails or panics, the error is reported but doesn't end
/// the connection.
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
    /// Handles the beginning of the connection. Reading begins once this method has returned, in
    /// the next tick at the earliest.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection continues; see [`Protocol`].
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }

    /// Handles one or more bytes that have arrived. The boundaries between the bytes of one call
    /// and the bytes of the next have no meaning.
    ///
    /// The bytes are in the loop's own buffer, which the next read overwrites, so copy whatever you
    /// want to keep.
    ///
    /// # Errors
    ///
    /// An error ends the connection; see [`Protocol`].
    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        let _ = (transport, data);
        Ok(())
    }

    /// Handles the end of the stream from the other side. Return true to keep the connection open,
    /// so that you can still write; otherwise the connection is closed once all bytes are sent.
    ///
    /// # Errors
    ///
    /// An error ends the connection; see [`Protocol`].
    fn eof_received(&self, transport: &Transport) -> Result<bool> {
        let _ = transport;
        Ok(false)
    }

    /// Handles the end of the connection. `error` is the error that ended the connection, or `None`
    /// if the connection ended without one: this side closed or aborted it, or the other side ended
    /// its stream. The socket is closed once this method has returned.
    ///
    /// # Errors
    ///
    /// An error is reported; see [`Protocol`].
    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        let _ = error;
        Ok(())
    }

    /// Asks the protocol to pause writing, because more than the high-water mark is unsent. Bytes
    /// that the protocol still writes are kept until there's room.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection continues; see [`Protocol`].
    fn pause_writing(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }

    /// Lets the protocol resume writing, because no more than the low-water mark is unsent.
    ///
    /// # Errors
    ///
    /// An error is reported, and the connection continues; see [`Protocol`].
    fn resume_writing(&self, transport: &Transport) -> Result<()> {
        let _ = transport;
        Ok(())
    }
}

/// A connected stream socket. `into()` makes it from std's `TcpStream` or `UnixStream`.
#[derive(Debug)]
pub enum StreamSocket {
    /// A TCP connection.
    Tcp(TcpStream),
    /// A connection to another process on the machine, or to the other end of a pair.
    Unix(UnixStream),
}

impl StreamSocket {
    /// Makes the socket non-blocking. For TCP, also turns off Nagle's algorithm, which would delay
    /// small writes; asyncio's `_set_nodelay`.
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
