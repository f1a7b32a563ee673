//! Connecting by TCP: one address after the other, until one answers.
//!
//! An attempt has a socket of its own. It's registered while the kernel works on it, which is also
//! all that a cancellation has to undo: dropping the attempt unregisters its socket and closes it.

use std::io;
use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, getpeername, sockopt};
use step01_fd::CallError;
use step02_epoll::Connected;
use step06_tasks::{Error, Result};

use super::registered::until_writable;

/// Tries the addresses in turn, and returns the first connection, with a non-blocking socket.
///
/// If none of them answers, the error is that of all attempts, in asyncio's words.
pub(crate) async fn connect_in_turn(addresses: &[SocketAddr]) -> Result<TcpStream> {
    let mut failures = Vec::new();
    for &address in addresses {
        match connect_to(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            connected => return connected,
        }
    }
    Err(all_of(failures))
}

async fn connect_to(address: SocketAddr) -> Result<TcpStream> {
    let connected = match address {
        SocketAddr::V4(address) => connect_v4(address).await,
        SocketAddr::V6(address) => connect_v6(address).await,
    };
    match connected {
        // Step 02's function for the end of an attempt doesn't know the address any more.
        Err(Error::Io(error)) if !is_named(&error) => {
            let reason = error.raw_os_error().map(io::Error::from_raw_os_error);
            let reason = reason.unwrap_or_else(|| error.kind().into());
            Err(CallError::wrap(format!("connect to {address}"), reason).into())
        }
        connected => connected,
    }
}

async fn connect_v4(address: SocketAddrV4) -> Result<TcpStream> {
    let mut connecting = step02_epoll::connect(address)?;
    loop {
        until_writable(&connecting).await?;
        match connecting.finish()? {
            Connected::Yes(stream) => return Ok(stream),
            Connected::NotYet(still) => connecting = still,
        }
    }
}

async fn connect_v6(address: SocketAddrV6) -> Result<TcpStream> {
    let socket = new_socket(AddressFamily::INET6)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
        Err(error) => return Err(io::Error::from(error).into()),
    }
    loop {
        until_writable(&socket).await?;
        let verdict = sockopt::socket_error(&socket).and_then(|verdict| verdict);
        verdict.map_err(io::Error::from)?;
        // An event proves nothing; see step 02.
        match getpeername(&socket) {
            Ok(_) => return Ok(socket.into()),
            Err(Errno::NOTCONN) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

/// Makes a stream socket that is non-blocking and close-on-exec from the start.
pub(super) fn new_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let made = rustix::net::socket_with(family, SocketType::STREAM, flags, None);
    made.map_err(|error| CallError::wrap("socket", error.into()))
}

fn is_named(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<CallError>()).is_some()
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
