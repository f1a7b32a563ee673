//! Accepts clients, skips the errors of `accept(2)` that concern a single client, and reports the
//! errors that concern the whole server.
//!
//! An [`Acceptor`] never waits: a loop calls it when the listener is readable. The servers of steps
//! 03 to 05 use it, too.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use step01_fd::set_nonblocking;

/// The maximum number of clients that one call accepts. Without a limit, a stream of new clients
/// would keep the loop from serving its connected clients. asyncio's limit is `backlog`, by default
/// 100, or one more since Python 3.14.
const BACKLOG: usize = 100;

/// Errors that concern one client: see "Error handling" in `accept(2)`. The client left before it
/// was accepted, a firewall rule forbids the connection, or Linux passes on a network error of the
/// new connection. The next client may be fine.
const ONE_CLIENT: [i32; 10] = [
    libc::ECONNABORTED,
    libc::EPERM,
    libc::ENETDOWN,
    libc::EPROTO,
    libc::ENOPROTOOPT,
    libc::EHOSTDOWN,
    libc::ENONET,
    libc::EHOSTUNREACH,
    libc::EOPNOTSUPP,
    libc::ENETUNREACH,
];
/// Errors that mean that the process or the system has no descriptor or memory left for a client.
const OUT_OF_RESOURCES: [i32; 4] = [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM];

/// A listening TCP socket. Its [`accept`](Acceptor::accept) is the counterpart of asyncio's
/// `_accept_connection` in `selector_events.py`.
#[derive(Debug)]
pub struct Acceptor {
    listener: TcpListener,
}

/// The result of [`Acceptor::accept`].
#[derive(Debug)]
pub struct Accepted {
    /// The sockets of the accepted clients.
    pub streams: Vec<TcpStream>,
    /// True if descriptors or memory ran out. The clients that couldn't be accepted keep the
    /// listener ready, so unregister it for [`Acceptor::PAUSE`], or your loop spins.
    pub must_pause: bool,
}

impl Acceptor {
    /// The pause in accepting after descriptors or memory ran out: long enough that retries cost
    /// hardly any CPU time, short enough for waiting clients; asyncio's `ACCEPT_RETRY_DELAY`.
    pub const PAUSE: Duration = Duration::from_secs(1);

    /// Listens on a TCP port of 127.0.0.1. Port 0 lets the kernel choose a free port.
    ///
    /// # Errors
    ///
    /// Fails with `AddrInUse` if the port is taken, with `PermissionDenied` if it needs a
    /// privilege, and with `EMFILE` or `ENFILE` if no descriptor is left.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        set_nonblocking(&listener, true)?;
        Ok(Acceptor { listener })
    }

    /// Returns the address on which the listener listens.
    ///
    /// # Errors
    ///
    /// Fails as `getsockname(2)` does, for example if the kernel has no memory left (`ENOBUFS`).
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts the clients that have connected, up to 100 of them. If there are more, the listener
    /// stays readable.
    ///
    /// # Errors
    ///
    /// Fails if the listener itself is broken, which no later call can fix.
    pub fn accept(&self) -> io::Result<Accepted> {
        let mut accepted = Accepted { streams: Vec::new(), must_pause: false };
        for _ in 0..BACKLOG {
            match self.listener.accept() {
                Ok((stream, _)) => accepted.streams.push(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if is_one_of(&ONE_CLIENT, &error) => {}
                Err(error) if is_one_of(&OUT_OF_RESOURCES, &error) => {
                    accepted.must_pause = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(accepted)
    }
}

impl AsFd for Acceptor {
    /// Returns the listener, which is readable while clients are waiting to be accepted.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

fn is_one_of(errnos: &[i32], error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|errno| errnos.contains(&errno))
}
