//! The echo server, and the loop that drives it.
//!
//! The loop sleeps in a selector, which then reports the sources that are ready.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step02_epoll::{Acceptor, Connection, Progress};

use crate::{EpollSelector, Interest, ReadyEvent, Selector};

/// Runs the server on 127.0.0.1 until it's stopped. Port 0 lets the kernel choose a free port.
///
/// # Errors
///
/// Fails as [`raise_descriptor_limit`], [`EchoServer::bind`], [`EchoServer::local_addr`] and
/// [`EchoServer::run`] do. Panics if it can't print the address.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    let mut server = EchoServer::bind(port)?;
    println!("listening on {}", server.local_addr()?);
    io::stdout().flush()?;
    server.run()
}

/// The owner of a registered descriptor.
#[derive(Debug, Clone, Copy)]
enum Source {
    Listener,
    Client(RawFd),
}

/// A server that sends back the bytes it receives.
#[derive(Debug)]
pub struct EchoServer {
    selector: EpollSelector<Source>,
    acceptor: Acceptor,
    /// True while the listener isn't registered, because descriptors or memory ran out.
    is_paused: bool,
    clients: HashMap<RawFd, Connection>,
    /// The buffer that all clients' reads share.
    scratch: Vec<u8>,
}

impl EchoServer {
    /// Listens on a TCP port of 127.0.0.1. Port 0 lets the kernel choose a free port.
    ///
    /// # Errors
    ///
    /// Fails as [`Acceptor::bind`] does, and if no descriptors are left.
    pub fn bind(port: u16) -> io::Result<Self> {
        let acceptor = Acceptor::bind(port)?;
        let mut selector = EpollSelector::new()?;
        selector.register(&acceptor, Interest::READABLE, Source::Listener)?;
        Ok(EchoServer {
            selector,
            acceptor,
            is_paused: false,
            clients: HashMap::new(),
            scratch: vec![0; Connection::SCRATCH_SIZE],
        })
    }

    /// Returns the address on which the server listens.
    ///
    /// # Errors
    ///
    /// Fails as [`Acceptor::local_addr`] does.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.acceptor.local_addr()
    }

    /// Runs forever.
    ///
    /// # Errors
    ///
    /// Fails only if the loop itself fails: with the error of its wait, of a registration or of a
    /// descriptor of its own, such as the listener. A client's error closes only its connection.
    pub fn run(&mut self) -> io::Result<()> {
        let mut ready = Vec::new();
        loop {
            self.turn(&mut ready)?;
        }
    }

    /// Takes one turn of the loop: sleeps until there's work to do, then does that work.
    ///
    /// # Errors
    ///
    /// Fails with the error of its wait, of a registration or of a descriptor of the loop's own,
    /// such as the listener; a client's error closes only that client's connection.
    fn turn(&mut self, ready: &mut Vec<ReadyEvent<Source>>) -> io::Result<()> {
        self.wait(ready)?;
        for event in &*ready {
            match event.data {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
    }

    /// Sleeps until there's work to do. A turn of the loop sleeps nowhere else.
    fn wait(&mut self, ready: &mut Vec<ReadyEvent<Source>>) -> io::Result<()> {
        let timeout = self.timeout();
        self.selector.select(timeout, ready)?;
        self.resume_accepting()
    }

    /// Returns how long to sleep: forever, unless the listener has to be registered again.
    fn timeout(&self) -> Option<Duration> {
        self.is_paused.then_some(Acceptor::PAUSE)
    }

    fn accept(&mut self) -> io::Result<()> {
        let accepted = self.acceptor.accept()?;
        for stream in accepted.streams {
            // If a client can't be registered, drop it and keep serving.
            let _ = self.welcome(stream);
        }
        if accepted.must_pause {
            self.pause_accepting()?;
        }
        Ok(())
    }

    fn welcome(&mut self, stream: TcpStream) -> io::Result<()> {
        let connection = Connection::new(stream)?;
        let fd = connection.as_fd().as_raw_fd();
        self.selector.register(&connection, Interest::READABLE, Source::Client(fd))?;
        self.clients.insert(fd, connection);
        Ok(())
    }

    fn pause_accepting(&mut self) -> io::Result<()> {
        self.selector.unregister(&self.acceptor)?;
        self.is_paused = true;
        Ok(())
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_paused) {
            self.selector.register(&self.acceptor, Interest::READABLE, Source::Listener)?;
        }
        Ok(())
    }

    /// Gives a client its turn.
    fn echo(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(connection) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(fd),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        // No system call if the interest is unchanged.
        self.selector.modify(&*connection, connection.interest(), Source::Client(fd))?;
        Ok(())
    }

    fn close(&mut self, fd: RawFd) -> io::Result<()> {
        if let Some(connection) = self.clients.remove(&fd) {
            self.selector.unregister(&connection)?;
        }
        Ok(())
    }
}
