//! The functions that create streams, for a client's connection or for each connection of a server;
//! asyncio's `open_connection` and `start_server`.

use std::future::Future as Coroutine;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;

use step01_fd::set_nonblocking;
use step06_tasks::Result;

use super::DEFAULT_LIMIT;
use super::reader::{StreamReader, checked};
use super::stream_connection::StreamConnection;
use super::writer::StreamWriter;
use crate::net::{Address, Counted, Server, ServerOptions, Serves, connect_tcp, report};
use crate::{AsyncFd, EventLoop, UnixStream, expect_stream, get_running_loop};

/// Connects to an address and returns a reader and a writer; asyncio's `open_connection`.
///
/// A name is looked up first, in a thread of the loop's pool, and each of its addresses is tried in
/// turn until an attempt succeeds.
///
/// # Errors
///
/// If every attempt fails, the error lists all failures, each with its address unless no socket
/// could be made or registered. Also fails as [`Address::resolve`] does, and with `Cancelled` if
/// the task is cancelled during an attempt.
///
/// # Examples
///
/// ```
/// use asyncio::{open_connection, run, start_server};
/// use asyncio::{StreamReader, StreamWriter};
/// let answer = run(async {
///     let shout = async |mut reader: StreamReader, writer: StreamWriter| {
///         let line = reader.readline().await?;
///         writer.write(&line.to_ascii_uppercase())
///     };
///     let server = start_server(shout, "127.0.0.1:0").await?;
///     let (mut reader, writer) = open_connection(server.local_addrs()?[0]).await?;
///     writer.write(b"hello\n")?;
///     writer.drain().await?;
///     reader.readline().await
/// })?;
/// assert_eq!(answer, b"HELLO\n");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub async fn open_connection(address: impl Into<Address>) -> Result<(StreamReader, StreamWriter)> {
    open(connect_tcp(address).await?.into_async_fd().into_owned())
}

/// Connects to the listener at a path; asyncio's `open_unix_connection`.
///
/// # Errors
///
/// Fails as [`UnixStream::connect`] does.
pub async fn open_unix_connection(path: impl AsRef<Path>) -> Result<(StreamReader, StreamWriter)> {
    open(UnixStream::connect(path).await?.into_async_fd().into_owned())
}

/// Makes a connected socket of any family non-blocking and returns a reader and a writer for it, on
/// the loop that runs in this thread; asyncio's `open_connection(sock=…)`.
///
/// # Errors
///
/// Fails if the socket isn't a stream socket, if no loop runs in this thread, or if the kernel
/// refuses to register the socket.
pub fn open_connection_on(socket: impl Into<OwnedFd>) -> Result<(StreamReader, StreamWriter)> {
    let socket = socket.into();
    expect_stream(&socket)?;
    // Fail before we change the socket, since the program can have another descriptor for it.
    get_running_loop()?;
    set_nonblocking(&socket, true)?;
    open(AsyncFd::new(socket)?)
}

fn open(socket: AsyncFd<OwnedFd>) -> Result<(StreamReader, StreamWriter)> {
    let connection = StreamConnection::of(socket, DEFAULT_LIMIT, None);
    let reader = StreamReader::new(connection.clone());
    Ok((reader, StreamWriter::new(connection)))
}

/// Listens on an address and, for each connection, calls `on_connection` in a new task, with a
/// reader and a writer; asyncio's `start_server`. Equivalent to [`ServerOptions::start_server`]
/// with the default options.
///
/// If a connection's coroutine fails, the exception handler gets the error, unless the error is a
/// cancellation. Dropping the writer closes the connection, usually when the coroutine ends.
///
/// # Errors
///
/// Fails as [`ServerOptions::start_server`] does.
///
/// # Examples
///
/// ```
/// use asyncio::{StreamReader, StreamWriter, open_connection, run, start_server};
///
/// async fn echo(mut reader: StreamReader, writer: StreamWriter) -> asyncio::Result<()> {
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
/// # Ok::<(), asyncio::LoopError>(())
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

/// Listens at a path; asyncio's `start_unix_server`. Equivalent to
/// [`ServerOptions::start_unix_server`] with the default options.
///
/// # Errors
///
/// Fails as [`ServerOptions::start_unix_server`] does.
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
    /// Listens on all addresses of one or several hosts and starts a task for each connection. With
    /// port 0, the kernel chooses a port for each address. An address that this machine can't have,
    /// such as an IPv6 address if IPv6 is off, is skipped as long as another address can be bound.
    ///
    /// # Errors
    ///
    /// Fails as [`Address::resolve`] does. Also fails if an address can't be used and isn't
    /// skipped, if the limit is zero, and with `Cancelled` if the task is cancelled.
    pub async fn start_server<C>(
        &self,
        on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
        address: impl Into<Address>,
    ) -> Result<Server>
    where
        C: Coroutine<Output = Result<()>> + 'static,
    {
        self.listen(address.into(), Streams::boxed(on_connection, self.limit)?).await
    }

    /// Listens at a path and starts a task for each connection. If a socket already exists at the
    /// path, it's replaced, since a crashed server may have left it. Closing the server doesn't
    /// remove the path's file, as in asyncio before 3.13.
    ///
    /// # Errors
    ///
    /// If the path can't be used, fails with an error that names the path. Also fails if the limit
    /// is zero, and with `Cancelled` if the task is cancelled. Abstract names, which begin with a
    /// zero byte, are refused.
    pub async fn start_unix_server<C>(
        &self,
        on_connection: impl Fn(StreamReader, StreamWriter) -> C + 'static,
        path: impl AsRef<Path>,
    ) -> Result<Server>
    where
        C: Coroutine<Output = Result<()>> + 'static,
    {
        self.listen_at_path(path.as_ref(), Streams::boxed(on_connection, self.limit)?).await
    }
}

/// Serves each client with a reader and a writer.
struct Streams<F> {
    on_connection: Rc<F>,
    limit: usize,
}

impl<F, C> Streams<F>
where
    F: Fn(StreamReader, StreamWriter) -> C + 'static,
    C: Coroutine<Output = Result<()>> + 'static,
{
    fn boxed(on_connection: F, limit: usize) -> Result<Box<dyn Serves>> {
        let limit = checked(limit)?;
        Ok(Box::new(Streams { on_connection: Rc::new(on_connection), limit }))
    }
}

impl<F, C> Serves for Streams<F>
where
    F: Fn(StreamReader, StreamWriter) -> C + 'static,
    C: Coroutine<Output = Result<()>> + 'static,
{
    fn serve(&self, event_loop: &EventLoop, client: OwnedFd, counted: Counted) -> Result<()> {
        let connection = StreamConnection::of(AsyncFd::new(client)?, self.limit, Some(counted));
        let reader = StreamReader::new(Rc::clone(&connection));
        let writer = StreamWriter::new(connection);
        let on_connection = Rc::clone(&self.on_connection);
        // Call the function inside the task, so that the coroutine is stored once, not twice.
        event_loop
            .create_task(async move { report_if_failed(on_connection(reader, writer).await) });
        Ok(())
    }
}

/// Reports the error of a client's coroutine, because no code awaits the coroutine's task. A
/// cancellation isn't reported.
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
