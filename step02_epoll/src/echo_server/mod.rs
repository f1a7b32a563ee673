//! The first loop: a map of descriptors, one wait, and whoever is ready gets a turn.
//!
//! Each later step adds one whale to this file. Compare them: `diff step02_epoll/src/echo_server/mod.rs
//! step03_selector/src/echo_server/mod.rs`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use crate::{Epoll, Events, Interest, Trigger};
use step01_fd::raise_descriptor_limit;

mod connection;

pub use connection::{Connection, Progress};

/// The listener's token. A connection's token is its descriptor, which is never this large.
const LISTENER: u64 = u64::MAX;
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

/// A server that sends back what it is sent.
#[derive(Debug)]
pub struct EchoServer {
    epoll: Epoll,
    listener: TcpListener,
    /// Whether the listener is off the list for want of descriptors.
    paused: bool,
    /// Source waits, by token: the map that epoll does not keep for us.
    connections: HashMap<u64, Connection>,
    /// Where every read of every connection goes.
    scratch: Vec<u8>,
}

impl EchoServer {
    /// Listens on a TCP port of 127.0.0.1; 0 is any free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let epoll = Epoll::new()?;
        epoll.add(&listener, LISTENER, Interest::READABLE, Trigger::Level)?;
        Ok(EchoServer {
            epoll,
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
        let mut events = Events::with_capacity(256);
        loop {
            self.turn(&mut events)?;
        }
    }

    // ANCHOR: turn
    /// One turn of the loop: sleeps until somebody is ready, and then gives each of those a turn.
    pub fn turn(&mut self, events: &mut Events) -> io::Result<()> {
        self.wait(events)?;
        for event in &*events {
            match event.token() {
                LISTENER => self.accept()?,
                token => self.echo(token)?,
            }
        }
        Ok(())
    }
    // ANCHOR_END: turn

    /// The only place where the server sleeps.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        self.epoll.wait(events, self.timeout())?;
        self.resume_accepting()
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
        let token = token_of(&connection);
        self.epoll.add(&connection, token, Interest::READABLE, Trigger::Level)?;
        self.connections.insert(token, connection);
        Ok(())
    }

    /// Out of descriptors or memory: the listener stays ready and would wake us for nothing, again
    /// and again. So it goes off the list for a while.
    fn pause_accepting(&mut self) -> io::Result<()> {
        self.paused = true;
        self.epoll.delete(&self.listener)
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.paused) {
            self.epoll.add(&self.listener, LISTENER, Interest::READABLE, Trigger::Level)?;
        }
        Ok(())
    }

    /// Gives a connection its turn.
    fn echo(&mut self, token: u64) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(&token) else {
            return Ok(());
        };
        let wanted_to_write = connection.wants_to_write();
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(token),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        if connection.wants_to_write() == wanted_to_write {
            return Ok(());
        }
        self.epoll.modify(&*connection, token, connection.interest(), Trigger::Level)
    }

    fn close(&mut self, token: u64) -> io::Result<()> {
        match self.connections.remove(&token) {
            Some(connection) => self.epoll.delete(&connection),
            None => Ok(()),
        }
    }
}

fn token_of(connection: &Connection) -> u64 {
    connection.as_fd().as_raw_fd().unsigned_abs().into()
}
