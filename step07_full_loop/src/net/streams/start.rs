//! How a server begins: its sockets, and the coroutine for each connection.

use std::cell::{Cell, RefCell};
use std::fs;
use std::future::Future as Coroutine;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::rc::Rc;

use rustix::net::{AddressFamily, SocketAddrUnix, sockopt};
use step01_fd::CallError;
use step06_tasks::{Result, yield_now};

use super::DEFAULT_LIMIT;
use super::reader::StreamReader;
use super::server::Server;
use super::serving::Serving;
use super::writer::StreamWriter;
use crate::event_loop::get_running_loop;
use crate::net::accepting::report;
use crate::net::address::Address;
use crate::net::connect::new_socket;

/// What a server can be told beside its address.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// How many connections the kernel keeps until they're accepted, and how many are accepted in one
    /// go: 100, as in asyncio.
    pub backlog: i32,
    /// The limit of each [`StreamReader`]: 64 KiB, as in asyncio.
    pub limit: usize,
    /// Accepts connections from the start, which is the default. If it doesn't,
    /// [`Server::start_serving`] or [`Server::serve_forever`] makes it begin.
    pub start_serving: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { backlog: 100, limit: DEFAULT_LIMIT, start_serving: true }
    }
}

/// Listens on an address, and starts a task for each connection, with a reader and a writer; asyncio's
/// `start_server`. It's [`ServerOptions::start_server`] with the defaults.
///
/// A coroutine that fails is reported to the exception handler, and its connection is closed.
///
/// ```
/// use step07_full_loop::{StreamReader, StreamWriter, open_connection, run, start_server};
///
/// async fn echo(mut reader: StreamReader, writer: StreamWriter) -> step07_full_loop::Result<()> {
///     while let Some(line) = reader.next_line().await? {
///         writer.write(&line)?;
///         writer.drain().await?;
///     }
///     Ok(())
/// }
///
/// let answer = run(async {
///     let server = start_server(echo, ("127.0.0.1", 0)).await?;
///     let (mut reader, writer) = open_connection(server.local_addrs()?[0]).await?;
///     writer.write(b"hello\n")?;
///     let answer = reader.readline().await?;
///     drop(writer);
///     server.close();
///     server.wait_closed().await?;
///     Ok(answer)
/// })?;
/// assert_eq!(answer, b"hello\n");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub async fn start_server<C>(
    on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
    address: impl Into<Address>,
) -> Result<Server>
where
    C: Coroutine<Output = Result<()>> + 'static,
{
    ServerOptions::default().start_server(on_connection, address).await
}

/// Listens at a path; asyncio's `start_unix_server`. It's [`ServerOptions::start_unix_server`] with
/// the defaults.
pub async fn start_unix_server<C>(
    on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
    path: impl AsRef<Path>,
) -> Result<Server>
where
    C: Coroutine<Output = Result<()>> + 'static,
{
    ServerOptions::default().start_unix_server(on_connection, path).await
}

impl ServerOptions {
    /// Listens on all addresses of a host, and starts a task for each connection. With port 0, the
    /// kernel chooses a port for each address. Fails if one of them can't be had.
    pub async fn start_server<C>(
        &self,
        on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
        address: impl Into<Address>,
    ) -> Result<Server>
    where
        C: Coroutine<Output = Result<()>> + 'static,
    {
        let addresses = address.into().resolve().await?;
        let sockets = addresses.into_iter().map(bind).collect::<io::Result<_>>()?;
        self.serve(sockets, on_connection).await
    }

    /// Listens at a path, and starts a task for each connection. A socket that's there already is
    /// replaced, since a server that ended badly may have left it. Closing the server leaves the
    /// path's file, as in asyncio before 3.13.
    pub async fn start_unix_server<C>(
        &self,
        on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
        path: impl AsRef<Path>,
    ) -> Result<Server>
    where
        C: Coroutine<Output = Result<()>> + 'static,
    {
        self.serve(vec![bind_to_path(path.as_ref())?], on_connection).await
    }

    async fn serve<C>(
        &self,
        sockets: Vec<OwnedFd>,
        on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
    ) -> Result<Server>
    where
        C: Coroutine<Output = Result<()>> + 'static,
    {
        let limit = super::reader::checked(self.limit)?;
        let on_connection = Rc::new(on_connection);
        let serving = Rc::new(Serving {
            event_loop: get_running_loop()?,
            sockets: RefCell::new(Some(sockets.into_iter().map(Rc::new).collect())),
            accepts: Cell::default(),
            clients: Rc::default(),
            handler: Box::new(move |event_loop, reader, writer| {
                let on_connection = Rc::clone(&on_connection);
                // Made inside the task, where it's kept once. As an argument, it would be there twice.
                event_loop.create_task(async move {
                    report_if_failed(on_connection(reader, writer).await)
                });
            }),
            backlog: self.backlog,
            limit,
        });
        if self.start_serving {
            serving.start()?;
            yield_now().await?;
        }
        Ok(Server::new(serving))
    }
}

/// Reports the error of a coroutine that nothing awaits.
fn report_if_failed(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(error) if !error.is_cancelled() => {
            let message = "Unhandled exception in client_connected_cb";
            report(&get_running_loop()?, message, error);
            Ok(())
        }
        outcome => outcome,
    }
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
        let removed = fs::remove_file(path);
        removed.map_err(|error| CallError::wrap(format!("unlink {}", path.display()), error))?;
    }
    let socket = new_socket(AddressFamily::UNIX)?;
    let bound = SocketAddrUnix::new(path).and_then(|address| rustix::net::bind(&socket, &address));
    bound.map_err(|error| CallError::wrap(format!("bind to {}", path.display()), error.into()))?;
    Ok(socket)
}
