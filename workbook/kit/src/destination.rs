//! Addresses on this machine to which a connection succeeds, is refused, or stays in progress.
//!
//! See `connect(2)` and `listen(2)`.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::check::check;
use crate::loopback;

/// An address, with the sockets that determine the outcome of a connection to it. The outcome is
/// certain as long as this value exists.
#[derive(Debug)]
pub struct Destination {
    address: SocketAddrV4,
    /// A listener, or a socket that only holds the port.
    socket: OwnedFd,
    /// A client that's never accepted and so fills the listener's queue.
    in_the_queue: Option<TcpStream>,
}

impl Destination {
    /// Creates a listener, so that a connection to this address succeeds.
    pub fn listening(ip: Ipv4Addr) -> io::Result<Self> {
        let listener = TcpListener::bind((ip, 0))?;
        let address = SocketAddrV4::new(ip, listener.local_addr()?.port());
        Ok(Destination { address, socket: listener.into(), in_the_queue: None })
    }

    /// Binds a port without listening on it. The kernel refuses connections to the port, and no
    /// other program can get the port while this value exists.
    pub fn refusing(ip: Ipv4Addr) -> io::Result<Self> {
        let socket = tcp_socket()?;
        let (raw, length) = raw_address(SocketAddrV4::new(ip, 0));
        // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
        let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const raw).cast(), length) };
        check(bound, "bind")?;
        let socket = TcpListener::from(socket);
        let address = SocketAddrV4::new(ip, socket.local_addr()?.port());
        Ok(Destination { address, socket: socket.into(), in_the_queue: None })
    }

    /// Creates a listener whose queue of clients is full. The kernel drops any further request for
    /// a connection, so a new connection stays in progress: the client's kernel sends its request
    /// again, for the first time after a second.
    pub fn full(ip: Ipv4Addr) -> io::Result<Self> {
        let Destination { address, socket, .. } = Destination::listening(ip)?;
        // SAFETY: listen takes two integers and touches no memory of ours.
        check(unsafe { libc::listen(socket.as_raw_fd(), 0) }, "listen")?;
        // A queue of length zero has room for one connection.
        let first = loopback::connect(&socket, address.into())?;
        Ok(Destination { address, socket, in_the_queue: Some(first) })
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddrV4 {
        self.address
    }

    /// Waits until the kernel knows the outcome of a connection to this address. If the queue is
    /// full, there's no outcome to wait for, so this method returns immediately.
    pub fn wait_for_the_outcome(&self, socket: impl AsFd) -> io::Result<()> {
        if self.in_the_queue.is_none() {
            loopback::wait_until_writable(socket)?;
        }
        Ok(())
    }

    /// Waits for a client and accepts it.
    pub fn accept(&self) -> io::Result<TcpStream> {
        Ok(TcpListener::from(self.socket.try_clone()?).accept()?.0)
    }
}

/// Calls `connect(2)` once. Fails with the call's own error.
pub fn call_connect(socket: impl AsFd, address: SocketAddrV4) -> io::Result<()> {
    let (raw, length) = raw_address(address);
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(socket, (&raw const raw).cast(), length) };
    if returned == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Creates a blocking TCP socket that isn't connected yet.
pub fn tcp_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: socket takes three integers and touches no memory of ours.
    let fd = check(unsafe { libc::socket(libc::AF_INET, kind, 0) }, "socket")?;
    // SAFETY: socket succeeded, so the descriptor is open and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Converts an address to the kernel's format. Returns the converted address and its length in
/// bytes.
fn raw_address(address: SocketAddrV4) -> (libc::sockaddr_in, libc::socklen_t) {
    let raw = libc::sockaddr_in {
        sin_family: libc::sa_family_t::try_from(libc::AF_INET).unwrap_or_default(),
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
        sin_zero: [0; 8],
    };
    (raw, libc::socklen_t::try_from(size_of_val(&raw)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn says(destination: &Destination) -> Option<i32> {
        let socket = TcpStream::from(tcp_socket().unwrap());
        socket.set_nonblocking(true).unwrap();
        let started = call_connect(&socket, destination.address()).unwrap_err();
        assert_eq!(started.raw_os_error(), Some(libc::EINPROGRESS));
        loop {
            match call_connect(&socket, destination.address()) {
                Ok(()) => return None,
                // The connection is still in progress, so we ask again.
                Err(error) if error.raw_os_error() == Some(libc::EALREADY) => thread::yield_now(),
                Err(error) => return error.raw_os_error(),
            }
        }
    }

    #[test]
    fn a_listener_accepts_and_a_port_without_one_refuses() {
        let ip = Ipv4Addr::new(127, 0, 0, 2);
        let listening = Destination::listening(ip).unwrap();
        assert_eq!(says(&listening), None);
        assert_eq!(listening.accept().unwrap().local_addr().unwrap(), listening.address().into());
        assert_eq!(says(&Destination::refusing(ip).unwrap()), Some(libc::ECONNREFUSED));
    }

    #[test]
    fn a_full_queue_says_nothing() {
        let full = Destination::full(Ipv4Addr::LOCALHOST).unwrap();
        let socket = TcpStream::from(tcp_socket().unwrap());
        socket.set_nonblocking(true).unwrap();
        for errno in [libc::EINPROGRESS, libc::EALREADY] {
            let error = call_connect(&socket, full.address()).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(errno));
        }
        assert!(!loopback::is_writable(&socket).unwrap());
    }
}
