//! The loop so far: a selector says who is ready, and whoever is ready gets a turn.
//!
//! What is new since step 02: tokens are gone. The selector keeps the data of whoever waits, and
//! hands it back.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step02_epoll::{Connection, Progress};

use crate::{EpollSelector, Interest, Selector};

/// How many clients are accepted in one go, before the others get their turn.
const BACKLOG: usize = 100;
/// How long to accept nobody after the process has run out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves on 127.0.0.1 until the process is stopped. Port 0 lets the kernel choose a free one.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    let mut server = EchoServer::bind(port)?;
    println!("listening on {}", server.local_addr()?);
    io::stdout().flush()?;
    server.run()
}

/// Source waits for a descriptor.
#[derive(Debug, Clone, Copy)]
enum Source {
    Listener,
    Connection(RawFd),
}

/// A server that sends back what it is sent.
#[derive(Debug)]
pub struct EchoServer {
    selector: EpollSelector<Source>,
    listener: TcpListener,
    /// Whether the listener is off the list for want of descriptors.
    paused: bool,
    connections: HashMap<RawFd, Connection>,
    /// Where every read of every connection goes.
    scratch: Vec<u8>,
}

impl EchoServer {
    /// Listens on a TCP port of 127.0.0.1; 0 is any free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let mut selector = EpollSelector::new()?;
        selector.register(&listener, Interest::READABLE, Source::Listener)?;
        Ok(EchoServer {
            selector,
            listener,
            paused: false,
            connections: HashMap::new(),
            scratch: vec![0; 64 * 1024],
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves for ever. An error here is one of the loop; a client's error ends that client alone.
    pub fn run(&mut self) -> io::Result<()> {
        let mut ready = Vec::new();
        loop {
            self.selector.select(self.timeout(), &mut ready)?;
            self.resume_accepting()?;
            for event in &ready {
                match event.data {
                    Source::Listener => self.accept()?,
                    Source::Connection(fd) => self.echo(fd)?,
                }
            }
        }
    }

    /// How long to sleep: for ever, unless the listener has to be resumed.
    fn timeout(&self) -> Option<Duration> {
        self.paused.then_some(ACCEPT_PAUSE)
    }

    /// Takes in the clients that have come.
    fn accept(&mut self) -> io::Result<()> {
        for _ in 0..BACKLOG {
            match self.listener.accept() {
                // A client that cannot be taken in is let go; it is no reason to stop either.
                Ok((stream, _)) => drop(self.welcome(stream)),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    // A client that has left before it was let in is no reason to stop.
                    io::ErrorKind::ConnectionAborted => {}
                    _ => return self.pause_accepting(),
                },
            }
        }
        Ok(())
    }

    fn welcome(&mut self, stream: TcpStream) -> io::Result<()> {
        let connection = Connection::new(stream)?;
        let fd = connection.as_fd().as_raw_fd();
        self.selector.register(&connection, Interest::READABLE, Source::Connection(fd))?;
        self.connections.insert(fd, connection);
        Ok(())
    }

    /// Out of descriptors or memory: the listener stays ready and would wake us for nothing, again
    /// and again. So it goes off the list for a while.
    fn pause_accepting(&mut self) -> io::Result<()> {
        self.paused = true;
        self.selector.unregister(&self.listener)?;
        Ok(())
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.paused) {
            self.selector.register(&self.listener, Interest::READABLE, Source::Listener)?;
        }
        Ok(())
    }

    /// Gives a connection its turn.
    fn echo(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(&fd) else {
            return Ok(());
        };
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(fd),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        // If the interest is what it was, this asks nobody.
        self.selector.modify(&*connection, connection.interest(), Source::Connection(fd))?;
        Ok(())
    }

    fn close(&mut self, fd: RawFd) -> io::Result<()> {
        if let Some(connection) = self.connections.remove(&fd) {
            self.selector.unregister(&connection)?;
        }
        Ok(())
    }
}
