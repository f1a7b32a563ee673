//! The echo server, and the loop that drives it.
//!
//! The loop waits for all descriptors at once, then gives each ready descriptor a turn. The servers
//! in later steps keep the names and the order of this file, so a diff shows what each step adds.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;

use crate::{Epoll, Events, Interest, Trigger};

mod acceptor;
mod connection;

pub use acceptor::{Accepted, Acceptor};
pub use connection::{Connection, Progress};

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

// ANCHOR: source
/// The owner of a registered descriptor.
#[derive(Debug, Clone, Copy)]
enum Source {
    Listener,
    Client(RawFd),
}

impl Source {
    /// Returns the source's token: a client's descriptor, or for the listener the largest `u64`.
    fn token(self) -> u64 {
        match self {
            Source::Listener => u64::MAX,
            Source::Client(fd) => fd.unsigned_abs().into(),
        }
    }

    /// Returns the source that has this token.
    fn of(token: u64) -> Self {
        RawFd::try_from(token).map_or(Source::Listener, Source::Client)
    }
}
// ANCHOR_END: source

/// A server that sends back the bytes it receives.
#[derive(Debug)]
pub struct EchoServer {
    epoll: Epoll,
    acceptor: Acceptor,
    /// True while the listener isn't registered, because descriptors or memory ran out.
    is_paused: bool,
    /// The clients by descriptor: the map that epoll doesn't keep for us.
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
        let epoll = Epoll::new()?;
        epoll.add(&acceptor, Source::Listener.token(), Interest::READABLE, Trigger::Level)?;
        Ok(EchoServer {
            epoll,
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
        // About 3 KiB. If more than 256 descriptors are ready, the next wait reports the rest.
        let mut events = Events::with_capacity(256);
        loop {
            self.turn(&mut events)?;
        }
    }

    // ANCHOR: turn
    /// Takes one turn of the loop: sleeps until there's work to do, then does that work.
    ///
    /// # Errors
    ///
    /// Fails with the error of its wait, of a registration or of a descriptor of the loop's own,
    /// such as the listener; a client's error closes only that client's connection.
    pub fn turn(&mut self, events: &mut Events) -> io::Result<()> {
        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
    }
    // ANCHOR_END: turn

    /// Sleeps until there's work to do. A turn of the loop sleeps nowhere else.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let timeout = self.timeout();
        self.epoll.wait(events, timeout)?;
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
        let token = Source::Client(fd).token();
        self.epoll.add(&connection, token, Interest::READABLE, Trigger::Level)?;
        self.clients.insert(fd, connection);
        Ok(())
    }

    fn pause_accepting(&mut self) -> io::Result<()> {
        self.epoll.delete(&self.acceptor)?;
        self.is_paused = true;
        Ok(())
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_paused) {
            let token = Source::Listener.token();
            self.epoll.add(&self.acceptor, token, Interest::READABLE, Trigger::Level)?;
        }
        Ok(())
    }

    /// Gives a client its turn.
    fn echo(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(connection) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        let before = connection.interest();
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(fd),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        let (token, interest) = (Source::Client(fd).token(), connection.interest());
        if interest != before {
            self.epoll.modify(&*connection, token, interest, Trigger::Level)?;
        }
        Ok(())
    }

    fn close(&mut self, fd: RawFd) -> io::Result<()> {
        if let Some(connection) = self.clients.remove(&fd) {
            self.epoll.delete(&connection)?;
        }
        Ok(())
    }
}
