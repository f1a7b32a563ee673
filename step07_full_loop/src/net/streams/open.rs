//! A client's connection: a reader and a writer.

use std::os::fd::OwnedFd;
use std::path::Path;

use step01_fd::set_nonblocking;
use step06_tasks::Result;

use super::DEFAULT_LIMIT;
use super::connection::Connection;
use super::reader::StreamReader;
use super::writer::StreamWriter;
use crate::net::address::Address;
use crate::net::connect::connect_to;
use crate::net::socket_type::expect_stream;
use crate::net::unix::connect_to_path;

/// Connects to an address, as [`TcpStream::connect`](crate::TcpStream::connect) does, and returns a
/// reader and a writer; asyncio's `open_connection`.
///
/// ```
/// use step07_full_loop::{open_connection, run, start_server};
/// use step07_full_loop::{StreamReader, StreamWriter};
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
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub async fn open_connection(address: impl Into<Address>) -> Result<(StreamReader, StreamWriter)> {
    open(connect_to(address).await?.into())
}

/// Connects to the listener at a path; asyncio's `open_unix_connection`.
pub async fn open_unix_connection(path: impl AsRef<Path>) -> Result<(StreamReader, StreamWriter)> {
    open(connect_to_path(path.as_ref())?)
}

/// Takes over a connected socket of any family, on the loop that runs in this thread, and makes it
/// non-blocking; asyncio's `open_connection(sock=…)`. Fails if the socket isn't a stream.
pub fn open_connection_on(socket: impl Into<OwnedFd>) -> Result<(StreamReader, StreamWriter)> {
    let socket = socket.into();
    expect_stream(&socket)?;
    set_nonblocking(&socket, true)?;
    open(socket)
}

fn open(socket: OwnedFd) -> Result<(StreamReader, StreamWriter)> {
    let connection = Connection::new(socket, DEFAULT_LIMIT, None)?;
    let reader = StreamReader::new(connection.clone());
    Ok((reader, StreamWriter::new(connection)))
}
