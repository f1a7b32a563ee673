//! Connecting by TCP: one address after the other, until one answers.
//!
//! An attempt has a socket of its own. It's registered while the kernel works on it, which is also
//! all that a cancellation has to undo: dropping the attempt unregisters its socket and closes it.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, getpeername, sockopt};
use step01_fd::CallError;
use step06_tasks::{Error, Result};

use super::address::Address;
use super::registered::until_writable;

/// Connects to an address. A name is looked up first, and then its addresses are tried in turn.
pub(crate) async fn connect_to(address: impl Into<Address>) -> Result<TcpStream> {
    connect_in_turn(&address.into().resolve().await?).await
}

// ANCHOR: connect_in_turn
/// Tries the addresses in turn, and returns the first connection, with a non-blocking socket.
///
/// An attempt begins when the one before it has failed, and not earlier; none follows the one that
/// succeeds. It waits until its socket is writable, and then asks what has become of it. If it isn't
/// over yet, because an event proves nothing, it waits again.
///
/// An error of the system is a failure of this attempt, whether its beginning, its wait or its end
/// says so. Any other error, such as a cancellation of the task, is returned at once. However it ends,
/// all sockets but that of the connection are closed.
///
/// If all attempts fail, the error is [that of all of them](all_of), in the order of the addresses.
pub(crate) async fn connect_in_turn(addresses: &[SocketAddr]) -> Result<TcpStream> {
    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let mut attempt = Attempt::begin(address)?;
            loop {
                attempt.until_writable().await?;
                match attempt.finish()? {
                    Progress::Connected(stream) => return Ok(stream),
                    Progress::NotYet(still) => attempt = still,
                }
            }
        };
        match connecting.await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
}
// ANCHOR_END: connect_in_turn

// ANCHOR: attempt
/// A connection that's being made: step 02's `Connecting`, for addresses of either family. Dropping it
/// gives up.
struct Attempt {
    address: SocketAddr,
    socket: OwnedFd,
}

/// What has become of an attempt that hasn't failed.
enum Progress {
    Connected(TcpStream),
    /// It's still being made: wait again.
    NotYet(Attempt),
}
// ANCHOR_END: attempt

impl Attempt {
    /// Starts a connection, and doesn't wait for it.
    fn begin(address: SocketAddr) -> io::Result<Self> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let attempt = Attempt { address, socket: new_socket(family)? };
        match rustix::net::connect(&attempt.socket, &address) {
            // The kernel goes on by itself, after a signal, too.
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(attempt),
            Err(error) => Err(attempt.named(error)),
        }
    }

    /// Waits until the kernel says that the attempt might be over.
    async fn until_writable(&self) -> Result<()> {
        until_writable(&self.socket).await
    }

    /// Asks what has become of it. Fails with the kernel's verdict, and then the socket is closed.
    fn finish(self) -> io::Result<Progress> {
        let verdict = sockopt::socket_error(&self.socket).and_then(|verdict| verdict);
        verdict.map_err(|error| self.named(error))?;
        match getpeername(&self.socket) {
            Ok(_) => Ok(Progress::Connected(self.socket.into())),
            // An event proves nothing; see step 02.
            Err(Errno::NOTCONN) => Ok(Progress::NotYet(self)),
            Err(error) => Err(self.named(error)),
        }
    }

    fn named(&self, error: Errno) -> io::Error {
        CallError::wrap(format!("connect to {}", self.address), error.into())
    }
}

/// Makes a stream socket that is non-blocking and close-on-exec from the start.
pub(super) fn new_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let made = rustix::net::socket_with(family, SocketType::STREAM, flags, None);
    made.map_err(|error| CallError::wrap("socket", error.into()))
}

/// Makes one error of many: the first, if all are the same or there's just one.
fn all_of(failures: Vec<Arc<io::Error>>) -> Error {
    let texts: Vec<String> = failures.iter().map(ToString::to_string).collect();
    let Some(first) = failures.into_iter().next() else {
        return Error::other("there's no address to connect to");
    };
    if texts.iter().all(|text| *text == texts[0]) {
        return Error::Io(first);
    }
    let text = format!("Multiple exceptions: {}", texts.join(", "));
    io::Error::new(first.kind(), text).into()
}
