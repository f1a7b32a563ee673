//! Addresses to connect to or to listen on, including hosts whose names have to be looked up. A
//! client tries its addresses in turn until an attempt succeeds.
//!
//! `getaddrinfo(3)` may query a server on the other side of the world and blocks in the meantime.
//! So a thread of the loop's pool calls it. A numeric address needs no thread, and neither does an
//! empty host, which stands for this machine: a server listens on all addresses of the machine, and
//! a client connects to the machine itself. asyncio's `host=None` means the same.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::{fmt, io};

use rustix::net::{SocketAddrAny, getpeername, getsockname};
use step01_fd::CallError;
use step06_tasks::{Error, Result};

use crate::{EventLoop, TcpStream, get_running_loop};

/// One or several addresses, or a port and hosts that haven't been looked up yet.
///
/// Functions that take an address accept any value that converts into an `Address`, such as
/// `("localhost", 8000)`, `"localhost:8000"`, or std's [`SocketAddr`]. A list of hosts, such as
/// `(["127.0.0.1", "::1"], 8000)`, stands for the addresses of all its hosts. An empty host, as in
/// `("", 8000)` and `":8000"`, stands for every address of this machine if a server listens on it,
/// and for the loopback addresses of IPv4 and IPv6 otherwise.
///
/// ```
/// use asyncio::{Address, run};
/// let found = run(Address::from(("127.0.0.1", 8000)).resolve())?;
/// assert_eq!(found[0].to_string(), "127.0.0.1:8000");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Address(AddressForm);

#[derive(Debug, Clone)]
enum AddressForm {
    Known(Vec<SocketAddr>),
    HostsAndPort(Vec<String>, u16),
    /// A host, a colon and a port.
    Text(String),
}

/// The addresses that an empty host stands for (`ANY` for a server, `LOOPBACK` otherwise), in the
/// order in which glibc's `getaddrinfo(3)` returns them.
const ANY: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)];
const LOOPBACK: [IpAddr; 2] = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];

impl Address {
    /// Looks up the hosts without blocking the loop that runs in this thread. Returns one or more
    /// addresses in the order in which to try them.
    ///
    /// # Errors
    ///
    /// If a host can't be looked up, fails with an error that names the host. Also fails if the
    /// list of hosts or addresses is empty, if there are hosts but no loop runs in this thread, and
    /// with `Cancelled` if the task is cancelled during a lookup.
    pub async fn resolve(self) -> Result<Vec<SocketAddr>> {
        self.resolve_with(LOOPBACK).await
    }

    /// Looks up the hosts for a server and returns each address once. An empty host stands for all
    /// addresses of the machine.
    pub(crate) async fn resolve_to_listen(self) -> Result<Vec<SocketAddr>> {
        let mut addresses = Vec::new();
        for address in self.resolve_with(ANY).await? {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        Ok(addresses)
    }

    async fn resolve_with(self, no_host: [IpAddr; 2]) -> Result<Vec<SocketAddr>> {
        let found = match self.0 {
            AddressForm::Known(addresses) => addresses,
            AddressForm::HostsAndPort(hosts, port) => look_up_all(hosts, port, no_host).await?,
            AddressForm::Text(text) => match (text.parse(), port_alone(&text)) {
                (Ok(address), _) => vec![address],
                (_, Some(port)) => with_port(no_host, port),
                _ => look_up(&get_running_loop()?, text.clone(), text).await?,
            },
        };
        if found.is_empty() {
            return Err(Error::other("there's no address to connect to or to listen on"));
        }
        Ok(found)
    }
}

async fn look_up_all(
    hosts: Vec<String>,
    port: u16,
    no_host: [IpAddr; 2],
) -> Result<Vec<SocketAddr>> {
    let event_loop = get_running_loop()?;
    let mut found = Vec::new();
    for host in hosts {
        match &*host {
            "" => found.extend(with_port(no_host, port)),
            host => found.extend(getaddrinfo(&event_loop, host, port).await?),
        }
    }
    Ok(found)
}

/// Returns the port of an address without a host, such as `:8000`.
fn port_alone(text: &str) -> Option<u16> {
    text.strip_prefix(':')?.parse().ok()
}

fn with_port(addresses: [IpAddr; 2], port: u16) -> Vec<SocketAddr> {
    addresses.map(|address| SocketAddr::new(address, port)).to_vec()
}

/// Prints the hosts, each with the port, or the socket addresses, or the text, whichever the
/// program gave.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            AddressForm::Known(addresses) => {
                let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(", "))
            }
            AddressForm::HostsAndPort(hosts, port) => {
                let texts: Vec<String> =
                    hosts.iter().map(|host| format!("{host}:{port}")).collect();
                f.write_str(&texts.join(", "))
            }
            AddressForm::Text(text) => f.write_str(text),
        }
    }
}

/// Looks up the addresses of a host; see
/// [`EventLoopExt::getaddrinfo`](crate::EventLoopExt::getaddrinfo).
pub(crate) async fn getaddrinfo(
    event_loop: &EventLoop,
    host: &str,
    port: u16,
) -> Result<Vec<SocketAddr>> {
    match host.parse::<IpAddr>() {
        Ok(address) => Ok(vec![SocketAddr::new(address, port)]),
        Err(_) => look_up(event_loop, format!("{host}:{port}"), (host.to_owned(), port)).await,
    }
}

async fn look_up(
    event_loop: &EventLoop,
    shown: String,
    name: impl ToSocketAddrs + Send + 'static,
) -> Result<Vec<SocketAddr>> {
    let looking_up = event_loop.run_in_executor(move || {
        let found = name.to_socket_addrs();
        let found =
            found.map_err(|error| CallError::wrap(format!("getaddrinfo {shown}"), error))?;
        Ok(found.collect())
    });
    looking_up.await
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address(AddressForm::Known(vec![address]))
    }
}

impl From<Vec<SocketAddr>> for Address {
    fn from(addresses: Vec<SocketAddr>) -> Self {
        Address(AddressForm::Known(addresses))
    }
}

impl From<&[SocketAddr]> for Address {
    fn from(addresses: &[SocketAddr]) -> Self {
        Address(AddressForm::Known(addresses.to_vec()))
    }
}

impl From<(IpAddr, u16)> for Address {
    fn from((address, port): (IpAddr, u16)) -> Self {
        Address::from(SocketAddr::new(address, port))
    }
}

impl From<(Ipv4Addr, u16)> for Address {
    fn from((address, port): (Ipv4Addr, u16)) -> Self {
        Address::from((IpAddr::from(address), port))
    }
}

impl From<(Ipv6Addr, u16)> for Address {
    fn from((address, port): (Ipv6Addr, u16)) -> Self {
        Address::from((IpAddr::from(address), port))
    }
}

impl From<(&str, u16)> for Address {
    fn from((host, port): (&str, u16)) -> Self {
        Address(AddressForm::HostsAndPort(vec![host.to_owned()], port))
    }
}

impl From<(&[&str], u16)> for Address {
    fn from((hosts, port): (&[&str], u16)) -> Self {
        Address(AddressForm::HostsAndPort(hosts.iter().map(ToString::to_string).collect(), port))
    }
}

impl<const N: usize> From<([&str; N], u16)> for Address {
    fn from((hosts, port): ([&str; N], u16)) -> Self {
        Address::from((&hosts[..], port))
    }
}

impl From<(Vec<String>, u16)> for Address {
    fn from((hosts, port): (Vec<String>, u16)) -> Self {
        Address(AddressForm::HostsAndPort(hosts, port))
    }
}

impl From<(String, u16)> for Address {
    fn from((host, port): (String, u16)) -> Self {
        Address(AddressForm::HostsAndPort(vec![host], port))
    }
}

impl From<&str> for Address {
    fn from(text: &str) -> Self {
        Address(AddressForm::Text(text.to_owned()))
    }
}

impl From<String> for Address {
    fn from(text: String) -> Self {
        Address(AddressForm::Text(text))
    }
}

/// Connects to an address, as [`open_connection`](crate::open_connection) does, and returns a
/// stream without buffers.
///
/// A name is looked up first, in a thread of the loop's pool, and each of its addresses is tried in
/// turn until an attempt succeeds. An attempt can take minutes to fail, so use
/// [`timeout`](crate::timeout) if you need a shorter limit.
///
/// # Errors
///
/// If every attempt fails, the error lists all failures, each with its address unless no socket
/// could be made or registered. Also fails as [`Address::resolve`] does, and with `Cancelled` if
/// the task is cancelled during an attempt.
pub async fn connect_tcp(address: impl Into<Address>) -> Result<TcpStream> {
    connect_in_turn(&address.into().resolve().await?).await
}

// ANCHOR: connect_in_turn
/// Connects to the first of these addresses that accepts a connection. If none of them does, fails
/// with the errors of [all attempts](all_of), in the order of the addresses.
///
/// - Attempts don't overlap, and the first success is the last attempt (`attempts_in_turn`).
/// - Only a system error counts as the failure of an attempt. Any other error, such as a
///   cancellation of the task, ends the whole call at once. A task that was cancelled before can
///   connect in its clean-up (`ends_of_an_attempt`).
/// - No matter how the call ends, it leaves no socket open except the returned connection's
///   (`ends_of_an_attempt`).
async fn connect_in_turn(addresses: &[SocketAddr]) -> Result<TcpStream> {
    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
}
// ANCHOR_END: connect_in_turn

// ANCHOR: all_of
/// Combines several errors into one. Returns the first error if all errors have the same text.
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
// ANCHOR_END: all_of

/// Returns the IP address of a socket's other side. Fails with `NotConnected` if the socket isn't
/// connected, and with `Unsupported` if the other side has no IP address.
pub(crate) fn peer_addr(socket: impl AsFd) -> io::Result<SocketAddr> {
    let asked = getpeername(&socket);
    ip_address(asked, || format!("getpeername fd {}", socket.as_fd().as_raw_fd()))
}

/// Returns the IP address of a socket's own side. Fails if that side has no IP address.
pub(crate) fn local_addr(socket: impl AsFd) -> io::Result<SocketAddr> {
    let asked = getsockname(&socket).map(Some);
    ip_address(asked, || format!("getsockname fd {}", socket.as_fd().as_raw_fd()))
}

/// Returns the IP address in a call's result. Fails if the call has failed or its result isn't an
/// IP address. Every error names the call.
fn ip_address(
    asked: rustix::io::Result<Option<SocketAddrAny>>,
    call: impl Fn() -> String,
) -> io::Result<SocketAddr> {
    let address = asked.map_err(|error| CallError::wrap(call(), error.into()))?;
    let address = address.and_then(|any| any.try_into().ok());
    address.ok_or_else(|| {
        let why = io::Error::new(io::ErrorKind::Unsupported, "it has no IP address");
        CallError::wrap(call(), why)
    })
}
