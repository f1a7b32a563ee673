//! A client: its socket, and the bytes that it has received.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

pub(crate) struct Client {
    pub(crate) name: &'static str,
    /// True if the client reads its input, false while it's busy with something else.
    pub(crate) reads: bool,
    /// The bytes received since the last complete line.
    pub(crate) received: Vec<u8>,
    socket: UnixStream,
}

impl Client {
    /// Connects to the server's socket. Fails with the error from `connect(2)`.
    pub(crate) fn connect(name: &'static str, address: &Path, reads: bool) -> io::Result<Self> {
        let socket = UnixStream::connect(address)?;
        socket.set_nonblocking(true)?;
        Ok(Client { name, reads, received: Vec::new(), socket })
    }

    /// Sends a line, or several lines separated by `\n`. Fails if the lines don't fit into the
    /// socket's buffer or the server has closed the connection.
    pub(crate) fn send(&mut self, line: &str) -> io::Result<()> {
        self.socket.write_all(format!("{line}\n").as_bytes())
    }

    /// Reads the bytes that have arrived. Returns false if the input has ended or the connection
    /// has been reset.
    pub(crate) fn receive(&mut self) -> io::Result<bool> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => self.received.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Removes and returns all complete lines. The first `before` bytes are known to contain no
    /// line end.
    pub(crate) fn lines(&mut self, before: usize) -> Vec<String> {
        let end = self.received[before..].iter().rposition(|byte| *byte == b'\n');
        let complete = end.map_or(0, |end| before + end + 1);
        let taken: Vec<u8> = self.received.drain(..complete).collect();
        String::from_utf8_lossy(&taken).lines().map(str::to_owned).collect()
    }
}
