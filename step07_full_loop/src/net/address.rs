//! Where to connect to, or where to listen: addresses, or a name that has to be looked up.
//!
//! `getaddrinfo(3)` can ask a server on the other side of the world, and it blocks meanwhile. So a
//! thread of the loop's pool calls it. What is a number already needs no thread.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use step01_fd::CallError;
use step06_tasks::{Error, Result};

use crate::event_loop::EventLoop;
use crate::event_loop::get_running_loop;

/// One address, several, or a host and a port that aren't looked up yet.
///
/// The functions that need one take anything that can be turned into it: `("localhost", 8000)`,
/// `"localhost:8000"`, or a [`SocketAddr`] of std.
///
/// ```
/// use step07_full_loop::{Address, run};
/// let found = run(Address::from(("127.0.0.1", 8000)).resolve())?;
/// assert_eq!(found[0].to_string(), "127.0.0.1:8000");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Address(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Known(Vec<SocketAddr>),
    HostAndPort(String, u16),
    /// A host, a colon and a port.
    Text(String),
}

impl Address {
    /// Looks the name up, without blocking the loop that runs in this thread. Returns one address at
    /// least, in the order in which to try them.
    pub async fn resolve(self) -> Result<Vec<SocketAddr>> {
        let found = match self.0 {
            Kind::Known(addresses) => addresses,
            Kind::HostAndPort(host, port) => get_running_loop()?.getaddrinfo(&host, port).await?,
            Kind::Text(text) => match text.parse() {
                Ok(address) => vec![address],
                Err(_) => look_up(text.clone(), text).await?,
            },
        };
        if found.is_empty() {
            return Err(Error::other("there's no address to connect to or to listen on"));
        }
        Ok(found)
    }
}

/// As it was given: a host and a port, or all addresses.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Known(addresses) => {
                let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(", "))
            }
            Kind::HostAndPort(host, port) => write!(f, "{host}:{port}"),
            Kind::Text(text) => f.write_str(text),
        }
    }
}

impl EventLoop {
    /// Looks up the addresses of a host, in a thread of the loop's pool; asyncio's `getaddrinfo`. A
    /// host that's an IP address already needs no thread.
    ///
    /// Fails with an error that names the host. If it's cancelled, the thread goes on by itself.
    pub async fn getaddrinfo(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>> {
        match host.parse::<IpAddr>() {
            Ok(address) => Ok(vec![SocketAddr::new(address, port)]),
            Err(_) => look_up(format!("{host}:{port}"), (host.to_owned(), port)).await,
        }
    }
}

async fn look_up(
    shown: String,
    name: impl ToSocketAddrs + Send + 'static,
) -> Result<Vec<SocketAddr>> {
    let looking_up = get_running_loop()?.run_in_executor(move || {
        let found = name.to_socket_addrs();
        let found =
            found.map_err(|error| CallError::wrap(format!("getaddrinfo {shown}"), error))?;
        Ok(found.collect())
    });
    looking_up.await
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address(Kind::Known(vec![address]))
    }
}

impl From<Vec<SocketAddr>> for Address {
    fn from(addresses: Vec<SocketAddr>) -> Self {
        Address(Kind::Known(addresses))
    }
}

impl From<&[SocketAddr]> for Address {
    fn from(addresses: &[SocketAddr]) -> Self {
        Address(Kind::Known(addresses.to_vec()))
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
        Address(Kind::HostAndPort(host.to_owned(), port))
    }
}

impl From<(String, u16)> for Address {
    fn from((host, port): (String, u16)) -> Self {
        Address(Kind::HostAndPort(host, port))
    }
}

impl From<&str> for Address {
    fn from(text: &str) -> Self {
        Address(Kind::Text(text.to_owned()))
    }
}

impl From<String> for Address {
    fn from(text: String) -> Self {
        Address(Kind::Text(text))
    }
}
