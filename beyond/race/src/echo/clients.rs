//! The clients: all of them send a message, and then each client waits for its answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, ensure};

pub(crate) struct Clients {
    streams: Vec<TcpStream>,
    message: Vec<u8>,
    answer: Vec<u8>,
}

impl Clients {
    /// Connects the clients one after another. Each client gets an answer before the next client
    /// connects, so the listener's backlog can't overflow.
    pub(crate) fn connect(address: SocketAddr, count: usize, bytes: usize) -> Result<Self> {
        let (message, answer) = (vec![b'x'; bytes], vec![0; bytes]);
        let mut clients = Clients { streams: Vec::with_capacity(count), message, answer };
        for number in 0..count {
            let stream = TcpStream::connect(address).context("connect")?;
            stream.set_nodelay(true)?;
            clients.streams.push(stream);
            clients.exchange(number)?;
        }
        Ok(clients)
    }

    /// Makes every client send a message and read it back.
    pub(crate) fn talk(&mut self) -> Result<()> {
        self.exchange(0)
    }

    /// Makes every client except the first `silent` ones send a message and read it back.
    fn exchange(&mut self, silent: usize) -> Result<()> {
        for stream in &mut self.streams[silent..] {
            stream.write_all(&self.message).context("send")?;
        }
        for stream in &mut self.streams[silent..] {
            self.answer.fill(0);
            stream.read_exact(&mut self.answer).context("wait for the answer")?;
            ensure!(self.answer == self.message, "a message came back changed");
        }
        Ok(())
    }
}
