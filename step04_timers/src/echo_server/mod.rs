//! The echo server, and the loop that drives it.
//!
//! The loop sleeps in a selector, but at most until its nearest timer is due.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step02_epoll::{Acceptor, Connection, Progress};
use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector};

use crate::{Clock, MonotonicClock, TimerHeap};

mod idle;

pub use idle::IdleTimer;

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

/// The action that a timer triggers.
#[derive(Debug, Clone, Copy)]
enum Timer {
    CheckIdle(RawFd),
    ResumeAccepting,
}

/// A client's connection, and the timer that measures the client's silence.
#[derive(Debug)]
struct Client {
    connection: Connection,
    idle: IdleTimer,
}

/// A server that sends back the bytes it receives.
#[derive(Debug)]
pub struct EchoServer {
    selector: EpollSelector<Source>,
    clock: MonotonicClock,
    timers: TimerHeap<Timer>,
    idle_limit: Duration,
    acceptor: Acceptor,
    clients: HashMap<RawFd, Client>,
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
            clock: MonotonicClock::new(),
            timers: TimerHeap::new(),
            idle_limit: IdleTimer::LIMIT,
            acceptor,
            clients: HashMap::new(),
            scratch: vec![0; Connection::SCRATCH_SIZE],
        })
    }

    /// Sets how long a client may be silent before the server closes its connection. The default is
    /// one minute.
    #[must_use]
    pub fn with_idle_limit(self, idle_limit: Duration) -> Self {
        EchoServer { idle_limit, ..self }
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
        for timer in self.take_due() {
            match timer {
                Timer::CheckIdle(fd) => self.check_idle(fd)?,
                Timer::ResumeAccepting => self.resume_accepting()?,
            }
        }
        Ok(())
    }

    /// Sleeps until there's work to do. A turn of the loop sleeps nowhere else.
    fn wait(&mut self, ready: &mut Vec<ReadyEvent<Source>>) -> io::Result<()> {
        let timeout = self.timeout();
        self.selector.select(timeout, ready)
    }

    /// Returns how long to sleep: until the nearest timer is due, or forever without a timer.
    fn timeout(&mut self) -> Option<Duration> {
        self.timers.next_timeout(self.clock.now())
    }

    /// Takes all timers that are due, before any of them runs. If a due timer sets a new timer, the
    /// new timer waits for the next turn, even if it's due at once, so timers can't starve the
    /// clients.
    fn take_due(&mut self) -> Vec<Timer> {
        let now = self.clock.now();
        std::iter::from_fn(|| self.timers.pop_due(now)).collect()
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
        let (now, check) = (self.clock.now(), Timer::CheckIdle(fd));
        let idle = IdleTimer::start(self.idle_limit, now, &mut self.timers, check);
        self.clients.insert(fd, Client { connection, idle });
        Ok(())
    }

    fn pause_accepting(&mut self) -> io::Result<()> {
        self.selector.unregister(&self.acceptor)?;
        self.timers.push(self.clock.now() + Acceptor::PAUSE, Timer::ResumeAccepting);
        Ok(())
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        self.selector.register(&self.acceptor, Interest::READABLE, Source::Listener)?;
        Ok(())
    }

    /// Gives a client its turn.
    fn echo(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        client.idle.touch(self.clock.now());
        let connection = &mut client.connection;
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(fd),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        // No system call if the interest is unchanged.
        self.selector.modify(&*connection, connection.interest(), Source::Client(fd))?;
        Ok(())
    }

    fn close(&mut self, fd: RawFd) -> io::Result<()> {
        if let Some(client) = self.clients.remove(&fd) {
            self.selector.unregister(&client.connection)?;
            client.idle.cancel(&mut self.timers);
        }
        Ok(())
    }

    fn check_idle(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        if client.idle.has_expired(self.clock.now(), &mut self.timers, Timer::CheckIdle(fd)) {
            return self.close(fd);
        }
        Ok(())
    }
}
