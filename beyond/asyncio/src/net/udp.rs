//! Datagrams: messages that arrive whole or not at all.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};

use step01_fd::{CallError, set_nonblocking};
use step06_tasks::{Error, Result};

use super::address::{Address, local_addr, peer_addr};
use crate::{AsyncFd, expect_datagrams, get_running_loop};

/// A UDP socket. asyncio has `create_datagram_endpoint`, `sock_sendto` and similar functions
/// instead.
///
/// ```
/// use asyncio::{UdpSocket, run};
/// let said = run(async {
///     let one = UdpSocket::bind("127.0.0.1:0").await?;
///     let other = UdpSocket::bind("127.0.0.1:0").await?;
///     one.send_to(b"hello", other.local_addr()?).await?;
///     let mut buffer = [0; 16];
///     let (count, from) = other.recv_from(&mut buffer).await?;
///     assert_eq!(from, one.local_addr()?);
///     Ok(buffer[..count].to_vec())
/// })?;
/// assert_eq!(said, b"hello");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub struct UdpSocket {
    socket: AsyncFd<std::net::UdpSocket>,
}

impl UdpSocket {
    /// Makes a socket and binds it to the address or, given several addresses, to the first address
    /// that can be bound. With port 0, the kernel chooses the port.
    ///
    /// # Errors
    ///
    /// Fails as [`Address::resolve`] and [`from_std`](UdpSocket::from_std) do. If no address can be
    /// bound, fails with the last attempt's error, which names the address.
    pub async fn bind(address: impl Into<Address>) -> Result<Self> {
        let mut refused = io::Error::from(io::ErrorKind::InvalidInput);
        for address in address.into().resolve().await? {
            match std::net::UdpSocket::bind(address) {
                Ok(socket) => return UdpSocket::from_std(socket),
                Err(error) => refused = CallError::wrap(format!("bind to {address}"), error),
            }
        }
        Err(refused.into())
    }

    /// Takes over an existing socket for the loop that runs in this thread and makes it
    /// non-blocking.
    ///
    /// # Errors
    ///
    /// Fails if the socket isn't a datagram socket, if no loop runs in this thread, or if the
    /// kernel refuses to register the socket.
    pub fn from_std(socket: std::net::UdpSocket) -> Result<Self> {
        expect_datagrams(&socket)?;
        // Fail before we change the socket, since the program can have another descriptor for it.
        get_running_loop()?;
        set_nonblocking(&socket, true)?;
        Ok(UdpSocket { socket: AsyncFd::new(socket)? })
    }

    /// Sends a message to an address and returns the message's length. Waits while the kernel has
    /// no room.
    ///
    /// If no program listens at the address, the message is lost without an error. A later call
    /// fails for this reason only if this socket is [connected](UdpSocket::connect) to the address
    /// and the other machine reports the refusal.
    ///
    /// # Errors
    ///
    /// Fails with the kernel's error, which names the address, and with `Cancelled` if the task is
    /// cancelled.
    pub async fn send_to(&self, message: &[u8], address: SocketAddr) -> Result<usize> {
        let sent = self.socket.write_io(|socket| socket.send_to(message, address)).await;
        sent.map_err(|error| named(error, || format!("sendto {address}")))
    }

    /// Receives a message and returns the number of bytes received and the sender's address. If
    /// several tasks wait, each message goes to only one of them. If `buffer` is too small for a
    /// message, the rest of the message is lost.
    ///
    /// # Errors
    ///
    /// Fails with the kernel's error, which names the call, and with `Cancelled` if the task is
    /// cancelled.
    pub async fn recv_from(&self, buffer: &mut [u8]) -> Result<(usize, SocketAddr)> {
        let received = self.socket.read_io(|socket| socket.recv_from(buffer)).await;
        received.map_err(|error| named(error, || self.call("recvfrom")))
    }

    /// Sets the other side's address: given several addresses, the first that the kernel accepts.
    /// [`send`](UdpSocket::send) sends to this address, and of the messages that arrive later, the
    /// socket receives only those from this address. The call itself sends nothing.
    ///
    /// # Errors
    ///
    /// Fails as [`Address::resolve`] does, and with the kernel's error, which names the addresses.
    pub async fn connect(&self, address: impl Into<Address>) -> Result<()> {
        let addresses = address.into().resolve().await?;
        let connected = self.socket.get_ref().connect(&addresses[..]);
        Ok(connected
            .map_err(|error| CallError::wrap(format!("connect to {addresses:?}"), error))?)
    }

    /// Sends a message to the other side and returns the message's length. Waits while the kernel
    /// has no room.
    ///
    /// # Errors
    ///
    /// Fails as [`recv`](UdpSocket::recv) does, and with `EDESTADDRREQ` if the socket isn't
    /// connected.
    pub async fn send(&self, message: &[u8]) -> Result<usize> {
        let sent = self.socket.write_io(|socket| socket.send(message)).await;
        sent.map_err(|error| named(error, || self.call("send")))
    }

    /// Receives a message from the other side, or from any sender if the socket isn't connected,
    /// and returns the number of bytes received.
    ///
    /// # Errors
    ///
    /// Fails with `ConnectionRefused` if the other machine has reported that no program listens at
    /// its address, with any other kernel error, and with `Cancelled` if the task is cancelled.
    pub async fn recv(&self, buffer: &mut [u8]) -> Result<usize> {
        let received = self.socket.read_io(|socket| socket.recv(buffer)).await;
        received.map_err(|error| named(error, || self.call("recv")))
    }

    /// Returns the address of this side.
    ///
    /// # Errors
    ///
    /// Fails if `getsockname(2)` fails, with an error that names the socket.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        local_addr(&self.socket)
    }

    /// Returns the address of the other side, if the socket is connected.
    ///
    /// # Errors
    ///
    /// Fails with `NotConnected` if the socket isn't connected.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        peer_addr(&self.socket)
    }

    /// Returns a call's name, followed by the other side's address or, if the socket isn't
    /// connected, by this side's address.
    fn call(&self, name: &str) -> String {
        match (self.peer_addr(), self.local_addr()) {
            (Ok(peer), _) => format!("{name}, connected to {peer}"),
            (_, Ok(local)) => format!("{name} at {local}"),
            _ => name.to_owned(),
        }
    }
}

/// Puts the call in front of a kernel error's text and leaves a cancellation as it is.
fn named(error: Error, call: impl FnOnce() -> String) -> Error {
    match error {
        Error::Io(error) => {
            let errno = error.raw_os_error().map(io::Error::from_raw_os_error);
            CallError::wrap(call(), errno.unwrap_or_else(|| error.kind().into())).into()
        }
        other => other,
    }
}

impl AsFd for UdpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl std::fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UdpSocket").field(self.socket.get_ref()).finish()
    }
}
