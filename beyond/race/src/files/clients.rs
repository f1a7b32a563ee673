//! The clients: all of them request the file, and then each client reads its answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, ensure};

pub(crate) struct Clients {
    streams: Vec<TcpStream>,
    request: String,
    /// The size of the file.
    size: usize,
    buffer: Vec<u8>,
}

/// The buffer's size: enough for an answer's head and a file of 64 KiB together.
const BUFFER: usize = 256 << 10;

impl Clients {
    /// Connects the clients one after another. Each client gets an answer before the next client
    /// connects, so the listener's backlog can't overflow.
    pub(crate) fn connect(
        address: SocketAddr,
        count: usize,
        name: &str,
        size: usize,
    ) -> Result<Self> {
        let request = format!("GET /{name} HTTP/1.1\r\nHost: {address}\r\nAccept: */*\r\n\r\n");
        let mut clients = Clients { streams: Vec::new(), request, size, buffer: vec![0; BUFFER] };
        for _ in 0..count {
            let mut stream = TcpStream::connect(address).context("connect")?;
            stream.set_nodelay(true)?;
            stream.write_all(clients.request.as_bytes()).context("ask")?;
            read_answer(&mut stream, &mut clients.buffer, size)?;
            clients.streams.push(stream);
        }
        Ok(clients)
    }

    /// Makes every client request the file and read it.
    pub(crate) fn ask(&mut self) -> Result<()> {
        for stream in &mut self.streams {
            stream.write_all(self.request.as_bytes()).context("ask")?;
        }
        for stream in &mut self.streams {
            read_answer(stream, &mut self.buffer, self.size)?;
        }
        Ok(())
    }
}

/// Reads a head, which has to arrive whole in the first read, and then the file's bytes.
fn read_answer(stream: &mut TcpStream, buffer: &mut [u8], size: usize) -> Result<()> {
    let first = stream.read(buffer).context("wait for the answer")?;
    ensure!(buffer[..first].starts_with(b"HTTP/1.1 200 OK\r\n"), "no file came back");
    let end = buffer[..first].windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let head = end.context("a whole head")? + 4;
    let mut received = first - head;
    while received < size {
        let count = stream.read(buffer).context("wait for the rest")?;
        ensure!(count > 0, "the answer has an end");
        received += count;
    }
    ensure!(received == size, "the answer has as many bytes as the file");
    Ok(())
}
