//! How a server begins: what it can be told, and its sockets.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::net::{AddressFamily, sockopt};
use step01_fd::{CallError, errno};
use step06_tasks::{Result, yield_now};

use super::address::Address;
use super::clients::Serves;
use super::connect::new_socket;
use super::server::Server;
use super::serving::Serving;
use super::unix::address_of;
use crate::event_loop::get_running_loop;

/// What a server can be told beside its address.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// How many connections the kernel keeps until they're accepted, and how many are accepted in one
    /// go: 100, as in asyncio.
    pub backlog: i32,
    /// The limit of each [`StreamReader`](crate::StreamReader): 64 KiB, as in asyncio. Protocols have
    /// none.
    pub limit: usize,
    /// Accepts connections from the start, which is the default. If it doesn't,
    /// [`Server::start_serving`] or [`Server::serve_forever`] makes it begin.
    pub start_serving: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { backlog: 100, limit: super::streams::DEFAULT_LIMIT, start_serving: true }
    }
}

impl ServerOptions {
    /// Makes a server for all addresses of a host.
    pub(crate) async fn listen(&self, address: Address, serves: Box<dyn Serves>) -> Result<Server> {
        let sockets = bind_all(address.resolve_to_listen().await?)?;
        self.begin(sockets, serves).await
    }

    /// Makes a server for a path.
    pub(super) async fn listen_at_path(
        &self,
        path: &Path,
        serves: Box<dyn Serves>,
    ) -> Result<Server> {
        self.begin(vec![bind_to_path(path)?], serves).await
    }

    async fn begin(&self, sockets: Vec<OwnedFd>, serves: Box<dyn Serves>) -> Result<Server> {
        let serving = Serving::new(get_running_loop()?, sockets, self.backlog, serves);
        if self.start_serving {
            serving.start()?;
            yield_now().await?;
        }
        Ok(Server::new(serving))
    }
}

/// Makes a socket for each address. One that this machine can't have, because it has no IPv6 for
/// example, is left out, as long as there's another. (asyncio leaves out a socket that can't be made,
/// whatever the reason, and since 3.13 also an address that isn't available.)
fn bind_all(addresses: Vec<SocketAddr>) -> io::Result<Vec<OwnedFd>> {
    let (mut sockets, mut left_out) = (Vec::new(), None);
    for address in addresses {
        match bind(address) {
            Ok(socket) => sockets.push(socket),
            Err(error) if is_impossible(&error) => left_out = Some(error),
            Err(error) => return Err(error),
        }
    }
    match left_out {
        Some(error) if sockets.is_empty() => Err(error),
        _ => Ok(sockets),
    }
}

fn is_impossible(error: &io::Error) -> bool {
    matches!(errno(error), Some(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL))
}

/// Makes a socket with this address, which doesn't listen yet.
fn bind(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = new_socket(family)?;
    let bound = sockopt::set_socket_reuseaddr(&socket, true)
        // Otherwise it would take the port of the IPv4 address, too.
        .and_then(
            |()| if address.is_ipv6() { sockopt::set_ipv6_v6only(&socket, true) } else { Ok(()) },
        )
        .and_then(|()| rustix::net::bind(&socket, &address));
    bound.map_err(|error| CallError::wrap(format!("bind to {address}"), error.into()))?;
    Ok(socket)
}

fn bind_to_path(path: &Path) -> Result<OwnedFd> {
    if fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
        match fs::remove_file(path) {
            // Another program has removed it in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed
                .map_err(|error| CallError::wrap(format!("unlink {}", path.display()), error))?,
        }
    }
    let socket = new_socket(AddressFamily::UNIX)?;
    let bound = address_of(path).and_then(|address| rustix::net::bind(&socket, &address));
    bound.map_err(|error| CallError::wrap(format!("bind to {}", path.display()), error.into()))?;
    Ok(socket)
}
