//! The calls that a connection makes most often, `recv(2)` and `send(2)`, and a question that comes
//! before them: what type of socket is this?
//!
//! They do for a socket what `read(2)` and `write(2)` do for any descriptor, with the same outcomes as
//! in step 01. But `read` and `write` first go through the kernel's layer for files, which a socket
//! doesn't need; in an echo of 64 bytes, that's a twentieth of the server's time. (asyncio: its
//! transports' `sock.recv` and `sock.send`)

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketType, sockopt};
use step01_fd::{CallError, Outbox, Read, Written};
use step06_tasks::{Error, Result};

/// Receives what has arrived, as much as `buffer` holds, from a non-blocking socket; step 01's
/// [`read`](step01_fd::read), by one call of `recv(2)`.
pub fn recv(socket: impl AsFd, buffer: &mut [u8]) -> io::Result<Read> {
    let has_room = !buffer.is_empty();
    loop {
        match rustix::net::recv(&socket, &mut *buffer, RecvFlags::empty()) {
            Ok((0, _)) if has_room => return Ok(Read::End),
            Ok((count, _)) => return Ok(Read::Bytes(count)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(Read::WouldBlock),
            Err(error) => {
                let call = format!("recv fd {}", socket.as_fd().as_raw_fd());
                return Err(CallError::wrap(call, error.into()));
            }
        }
    }
}

/// Sends as much of `bytes` as a non-blocking socket takes now; step 01's [`write`](step01_fd::write()),
/// by one call of `send(2)`. The kernel sends no SIGPIPE for it, whatever the program does with that
/// signal.
pub fn send(socket: impl AsFd, bytes: &[u8]) -> io::Result<Written> {
    loop {
        match rustix::net::send(&socket, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => return Ok(Written::Bytes(count)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(Written::WouldBlock),
            Err(error) => {
                let call = format!("send fd {}", socket.as_fd().as_raw_fd());
                return Err(CallError::wrap(call, error.into()));
            }
        }
    }
}

/// Sends `bytes` after the unsent ones and keeps what the socket doesn't take; step 01's
/// [`Outbox::send`]. Returns true if everything is sent.
///
/// Most of the time nothing is unsent and the socket takes all: that's one call of `send(2)`, and the
/// outbox isn't touched. Otherwise the outbox [flushes](Outbox::flush) as it does for any descriptor.
pub fn send_or_keep(socket: impl AsFd, outbox: &mut Outbox, bytes: &[u8]) -> io::Result<bool> {
    if !outbox.is_empty() {
        return outbox.send(socket, bytes);
    }
    let taken = match send(socket, bytes)? {
        Written::Bytes(count) => count,
        Written::WouldBlock => 0,
    };
    outbox.push(&bytes[taken..]);
    Ok(outbox.is_empty())
}

/// Refuses a socket that isn't a stream. A socket that keeps messages apart, even if it's connected,
/// would make a reader hang: a stream takes a short read for all there is and waits for the next event,
/// while the next message is there already.
pub fn expect_stream(socket: impl AsFd) -> Result<()> {
    expect(socket, SocketType::STREAM, "Stream Socket")
}

/// Refuses a socket that isn't for datagrams.
pub fn expect_datagrams(socket: impl AsFd) -> Result<()> {
    expect(socket, SocketType::DGRAM, "datagram socket")
}

/// Refuses a socket of another type, in asyncio's words.
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

fn name(found: SocketType) -> &'static str {
    match found {
        SocketType::STREAM => "SOCK_STREAM",
        SocketType::DGRAM => "SOCK_DGRAM",
        SocketType::SEQPACKET => "SOCK_SEQPACKET",
        _ => "of another type",
    }
}
