//! Sockets that can be awaited: listeners and streams. This file contains the check of a socket's
//! type that the `from_std` of a listener or a stream makes first.
//!
//! | file | contents |
//! | --- | --- |
//! | `stream.rs` | a connection of any family, the two calls that it makes most often, and a buffer for them |
//! | `tcp.rs`, `unix.rs` | the methods that differ between the two families, and [`UnixListener`] |
//! | `listener.rs` | accepting connections, and [`TcpListener`] |

mod listener;
mod stream;
mod tcp;
mod unix;

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::net::{AddressFamily, SocketType, sockopt};
use step01_fd::CallError;
use step06_tasks::{Error, Result};

pub use listener::{AcceptFailure, TcpListener};
pub(crate) use stream::ScratchBuffer;
pub use stream::{Scratch, Stream, recv, send, send_or_keep};
pub use tcp::TcpStream;
pub use unix::{UnixListener, UnixStream};

/// Refuses a socket that isn't a stream. A connected socket that preserves message boundaries could
/// make a reader hang: after a short read, a stream assumes that nothing is left and waits for the
/// next event, although the next message may already have arrived.
///
/// # Errors
///
/// Fails with an error that names the descriptor and its type, in asyncio's words, or with
/// `ENOTSOCK` if the descriptor isn't a socket.
pub fn expect_stream(socket: impl AsFd) -> Result<()> {
    expect(socket, SocketType::STREAM, "Stream Socket")
}

/// Refuses a socket that isn't for datagrams.
///
/// # Errors
///
/// Fails as [`expect_stream`] does.
pub fn expect_datagrams(socket: impl AsFd) -> Result<()> {
    expect(socket, SocketType::DGRAM, "datagram socket")
}

/// Refuses a socket of a type other than `expected`, in asyncio's words.
fn expect(socket: impl AsFd, expected: SocketType, words: &str) -> Result<()> {
    let fd = socket.as_fd();
    let call = || format!("getsockopt SO_TYPE fd {}", fd.as_raw_fd());
    let found = sockopt::socket_type(fd);
    let found = found.map_err(|error| CallError::wrap(call(), error.into()))?;
    if found == expected {
        return Ok(());
    }
    let (fd, name) = (fd.as_raw_fd(), name(found));
    Err(Error::other(format!("A {words} was expected, got fd {fd} ({name})")))
}

/// Returns a function that adds the failed call and its socket to an error.
fn named<F: AsFd>(call: &str, socket: F) -> impl FnOnce(io::Error) -> io::Error + use<'_, F> {
    let fd = socket.as_fd().as_raw_fd();
    move |error| CallError::wrap(format!("{call} fd {fd}"), error)
}

/// Returns true if `socket` is a Unix socket.
fn is_unix(socket: impl AsFd) -> Result<bool> {
    let named = named("getsockopt SO_DOMAIN", &socket);
    let family = sockopt::socket_domain(&socket).map_err(|error| named(error.into()))?;
    Ok(family == AddressFamily::UNIX)
}

fn name(found: SocketType) -> &'static str {
    match found {
        SocketType::STREAM => "SOCK_STREAM",
        SocketType::DGRAM => "SOCK_DGRAM",
        SocketType::SEQPACKET => "SOCK_SEQPACKET",
        _ => "of another type",
    }
}
