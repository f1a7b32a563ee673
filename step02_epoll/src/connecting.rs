//! Connects to another program without waiting for its answer.
//!
//! Making a connection takes as long as the peer's answer: a round trip, or minutes if no answer
//! comes. On a non-blocking socket, `connect(2)` only starts the connection, and the kernel does
//! the rest. A [`Connecting`] is a started connection. It doesn't hand out its stream until
//! [`finish`](Connecting::finish) finds that the connection is made.
//!
//! [`connect`] takes a numeric address. A host name has to be looked up first: `getaddrinfo(3)`
//! blocks, so a loop leaves the lookup to a thread.

use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use step01_fd::{check, errno};

/// A connection that's being made. Register it for writing and call [`finish`](Connecting::finish)
/// once an event reports it. Dropping it abandons the attempt.
///
/// ```
/// use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
/// use step02_epoll::{Connected, Epoll, Events, Interest, Trigger, connect};
/// let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
/// let port = listener.local_addr()?.port();
/// let connecting = connect(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
/// let epoll = Epoll::new()?;
/// epoll.add(&connecting, 0, Interest::WRITABLE, Trigger::Level)?;
/// epoll.wait(&mut Events::with_capacity(1), None)?;
/// let Connected::Yes(stream) = connecting.finish()? else { panic!("it was reported too early") };
/// assert_eq!(stream.peer_addr()?.port(), port);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
// ANCHOR: connecting
pub struct Connecting {
    stream: TcpStream,
}
// ANCHOR_END: connecting

// ANCHOR: connected
/// The state of a [`Connecting`] that hasn't failed.
#[derive(Debug)]
pub enum Connected {
    /// The connection is made, and its stream is non-blocking.
    Yes(TcpStream),
    /// The connection is still being made: wait again. The socket is the same, so a registration
    /// stays valid.
    NotYet(Connecting),
}
// ANCHOR_END: connected

// ANCHOR: connect
/// Starts a TCP connection to `address` without waiting for it.
///
/// Three answers of `connect(2)` are good: the connection is made already (0), it's in progress
/// (`EINPROGRESS`), or a signal has interrupted the call (`EINTR`) but not the kernel's work. Don't
/// call `connect(2)` again: a second call fails with `EALREADY` while the attempt is in progress.
/// In all three cases the socket becomes writable in the end, whether the attempt succeeds or
/// fails.
///
/// This function makes at most two system calls, not counting `close`: one for the socket and one
/// for the connection. It never sleeps.
///
/// # Errors
///
/// Fails with any errno other than `EINPROGRESS` and `EINTR`. The error names the call, and no
/// descriptor stays open.
pub fn connect(address: SocketAddrV4) -> io::Result<Connecting> {
    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    match check(returned, || format!("connect fd {fd} to {address}")) {
        Err(error) if !matches!(errno(&error), Some(libc::EINPROGRESS | libc::EINTR)) => Err(error),
        _ => Ok(Connecting { stream: socket.into() }),
    }
}
// ANCHOR_END: connect

impl Connecting {
    // ANCHOR: finish
    /// Finds out whether the connection has been made. Call this when an event reports the socket.
    ///
    /// A failed attempt also makes the socket writable, so the event proves nothing. If the attempt
    /// has failed, `SO_ERROR` holds the error until you read it. But a socket without an error
    /// needn't be connected: a loop can wake up spuriously, for example because of a stale event. A
    /// socket without a peer (`ENOTCONN`) is `NotYet` connected.
    ///
    /// This function makes at most two system calls, not counting `close`. It doesn't sleep, and it
    /// reads none of the bytes that have arrived.
    ///
    /// Not checked: an attempt that times out or finds no route, because that takes seconds.
    ///
    /// # Errors
    ///
    /// Fails with any error, whether it comes from the attempt or from a system call of this
    /// function, except `ENOTCONN` for a missing peer. The errno is kept, and the socket closed.
    pub fn finish(self) -> io::Result<Connected> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            Err(error) => Err(error),
        }
    }
    // ANCHOR_END: finish
}

impl AsFd for Connecting {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

// ANCHOR: given
/// Makes a TCP socket that is non-blocking and close-on-exec from the start.
fn tcp_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: socket takes three integers and touches no memory of ours.
    let fd = check(unsafe { libc::socket(libc::AF_INET, kind, 0) }, || "socket".to_string())?;
    // SAFETY: socket succeeded, so the descriptor is open and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Converts an address for the kernel, which takes the IP address and the port in network byte
/// order. Returns the kernel's struct and its length.
fn raw_address(address: SocketAddrV4) -> (libc::sockaddr_in, libc::socklen_t) {
    let raw = libc::sockaddr_in {
        sin_family: libc::sa_family_t::try_from(libc::AF_INET).unwrap_or_default(),
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
        sin_zero: [0; 8],
    };
    (raw, libc::socklen_t::try_from(size_of_val(&raw)).unwrap_or_default())
}
// ANCHOR_END: given
