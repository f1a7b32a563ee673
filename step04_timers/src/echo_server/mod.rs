//! The loop so far: a selector says who is ready, and a heap says how long to wait.
//!
//! What is new since step 03: a client that is silent for a minute is sent away, and the pause in
//! accepting, which step 02 got by with a timeout, is a timer like any other.

use std::collections::HashMap;
use std::io::{self, Write};
use std::iter;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step02_epoll::{Connection, Progress};
use step03_selector::{EpollSelector, Interest, Selector};

use crate::{Clock, MonotonicClock, Time, TimerHeap, TimerId};

/// How many clients are accepted in one go, before the others get their turn.
const BACKLOG: usize = 100;
/// How long a client may be silent.
const IDLE_LIMIT: Duration = Duration::from_mins(1);
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

/// What a timer is for.
#[derive(Debug, Clone, Copy)]
enum Timer {
    Idle(RawFd),
    AcceptAgain,
}

/// A connection, and when it was last heard of.
#[derive(Debug)]
struct Client {
    connection: Connection,
    last_activity: Time,
    timer: TimerId,
}

/// A server that sends back what it is sent.
#[derive(Debug)]
pub struct EchoServer {
    selector: EpollSelector<Source>,
    clock: MonotonicClock,
    timers: TimerHeap<Timer>,
    idle_limit: Duration,
    listener: TcpListener,
    clients: HashMap<RawFd, Client>,
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
            clock: MonotonicClock::new(),
            timers: TimerHeap::new(),
            idle_limit: IDLE_LIMIT,
            listener,
            clients: HashMap::new(),
            scratch: vec![0; 64 * 1024],
        })
    }

    /// Sends clients away that are silent for this long, instead of a minute.
    #[must_use]
    pub fn with_idle_limit(self, idle_limit: Duration) -> Self {
        EchoServer { idle_limit, ..self }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves for ever. An error here is one of the loop; a client's error ends that client alone.
    pub fn run(&mut self) -> io::Result<()> {
        let mut ready = Vec::new();
        loop {
            let timeout = self.timers.next_timeout(self.clock.now());
            self.selector.select(timeout, &mut ready)?;
            for event in &ready {
                match event.data {
                    Source::Listener => self.accept()?,
                    Source::Connection(fd) => self.echo(fd)?,
                }
            }
            for due in self.take_due() {
                match due {
                    Timer::Idle(fd) => self.check_idle(fd)?,
                    Timer::AcceptAgain => self.resume_accepting()?,
                }
            }
        }
    }

    /// All that is due now, before any of it runs. What is set meanwhile waits for the next turn,
    /// however early it is due, and so never keeps the loop from its descriptors.
    fn take_due(&mut self) -> Vec<Timer> {
        let now = self.clock.now();
        iter::from_fn(|| self.timers.pop_due(now)).collect()
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
        let last_activity = self.clock.now();
        let timer = self.timers.push(last_activity + self.idle_limit, Timer::Idle(fd));
        self.clients.insert(fd, Client { connection, last_activity, timer });
        Ok(())
    }

    /// Out of descriptors or memory: the listener stays ready and would wake us for nothing, again
    /// and again. So it goes off the list for a while.
    fn pause_accepting(&mut self) -> io::Result<()> {
        self.selector.unregister(&self.listener)?;
        self.timers.push(self.clock.now() + ACCEPT_PAUSE, Timer::AcceptAgain);
        Ok(())
    }

    fn resume_accepting(&mut self) -> io::Result<()> {
        self.selector.register(&self.listener, Interest::READABLE, Source::Listener)
    }

    /// Gives a connection its turn.
    fn echo(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        client.last_activity = self.clock.now();
        let connection = &mut client.connection;
        match connection.echo(&mut self.scratch) {
            Ok(Progress::Finished) | Err(_) => return self.close(fd),
            Ok(Progress::Echoed | Progress::Waiting) => {}
        }
        // If the interest is what it was, this asks nobody.
        self.selector.modify(&*connection, connection.interest(), Source::Connection(fd))?;
        Ok(())
    }

    fn close(&mut self, fd: RawFd) -> io::Result<()> {
        if let Some(client) = self.clients.remove(&fd) {
            self.selector.unregister(&client.connection)?;
            self.timers.cancel(client.timer);
        }
        Ok(())
    }

    /// The timer of a client fired. Its bytes do not move the timer, for that would cost a heap
    /// operation each; so it may well have been heard of since, and gets a new timer then.
    fn check_idle(&mut self, fd: RawFd) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(&fd) else {
            return Ok(());
        };
        let limit = client.last_activity + self.idle_limit;
        if limit <= self.clock.now() {
            return self.close(fd);
        }
        client.timer = self.timers.push(limit, Timer::Idle(fd));
        Ok(())
    }
}
