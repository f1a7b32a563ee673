//! The clients: all of them send, and then each waits for its answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, ensure};

const MESSAGE: [u8; 64] = [b'x'; 64];

pub(crate) struct Clients {
    streams: Vec<TcpStream>,
}

impl Clients {
    /// Connects them one after the other. Each gets an answer before the next one comes, so the
    /// listener's backlog can't overflow.
    pub(crate) fn connect(address: SocketAddr, count: usize) -> Result<Self> {
        let mut clients = Clients { streams: Vec::with_capacity(count) };
        for _ in 0..count {
            let stream = TcpStream::connect(address).context("connect")?;
            stream.set_nodelay(true)?;
            let mut newcomer = [stream];
            exchange(&mut newcomer)?;
            clients.streams.extend(newcomer);
        }
        Ok(clients)
    }

    /// Each sends a message and gets it back.
    pub(crate) fn talk(&mut self) -> Result<()> {
        exchange(&mut self.streams)
    }
}

fn exchange(streams: &mut [TcpStream]) -> Result<()> {
    for stream in &mut *streams {
        stream.write_all(&MESSAGE).context("send")?;
    }
    for stream in streams {
        let mut answer = [0; MESSAGE.len()];
        stream.read_exact(&mut answer).context("wait for the answer")?;
        ensure!(answer == MESSAGE, "a message came back changed");
    }
    Ok(())
}
