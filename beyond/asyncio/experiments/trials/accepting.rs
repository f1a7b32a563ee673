//! A trial of a server's `accept`: clients come, descriptors run out, and the listener breaks.

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use asyncio::{EventLoop, Server, ServerOptions, StreamReader, StreamWriter, VirtualClock};
use kit::loopback::{connect, waiting_at};
use kit::without_free_descriptors;
use rustix::net::sockopt::socket_acceptconn;
use scene::{Program, Random, Transcript, say, trial};

/// An event that affects a server.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Connect(usize),
    /// If there are two listeners, a client connects to the first.
    ConnectToFirst,
    Tick,
    TickWithoutDescriptors,
    /// Milliseconds pass, and then the loop has a tick.
    Pass(u64),
    /// The listener is shut down and accepts nothing from then on.
    Break,
    /// The program keeps the listener, even when the server is closed.
    Keep,
    Close,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(24) {
            0..9 => Verb::Connect(1 + random.below(4)),
            9..12 => Verb::TickWithoutDescriptors,
            12..15 => Verb::Pass(random.choose(&[1, 999, 1000, 2500])),
            15 => random.choose(&[Verb::Break, Verb::Close, Verb::Tick]),
            _ => Verb::Tick,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Connect(count) => write!(f, "clients that connect: {count}"),
            Verb::ConnectToFirst => f.write_str("a client connects to the other listener"),
            Verb::Tick => f.write_str("one tick"),
            Verb::TickWithoutDescriptors => f.write_str("one tick without free descriptors"),
            Verb::Pass(millis) => write!(f, "{millis} ms pass, then one tick"),
            Verb::Break => f.write_str("the listener is shut down"),
            Verb::Keep => f.write_str("the program keeps the listener"),
            Verb::Close => f.write_str("the server is closed"),
        }
    }
}

/// The lines that a server and its loop have printed.
type Lines = Rc<RefCell<Vec<String>>>;

type Connections = Rc<RefCell<Vec<(StreamReader, StreamWriter)>>>;

/// A server, its clients, and the loop of both. Of two listeners, the last is the one to which
/// things happen.
pub(super) struct Stage {
    event_loop: EventLoop,
    clock: VirtualClock,
    server: Server,
    /// The number of clients that can wait.
    room: usize,
    /// The addresses of the listeners.
    addresses: Vec<SocketAddr>,
    pub(super) clients: Rc<RefCell<Vec<TcpStream>>>,
    connections: Connections,
    /// The listeners that the program has kept.
    kept: RefCell<Vec<Rc<OwnedFd>>>,
    lines: Lines,
}

impl Stage {
    pub(super) fn new(backlog: i32) -> anyhow::Result<Self> {
        Stage::listening(backlog, &[Ipv4Addr::LOCALHOST])
    }

    fn listening(backlog: i32, hosts: &[Ipv4Addr]) -> anyhow::Result<Self> {
        let clock = VirtualClock::new();
        let event_loop = EventLoop::with_clock(clock.clone())?;
        let lines = Lines::default();
        let clients: Rc<RefCell<Vec<TcpStream>>> = Rc::default();
        let connections = Connections::default();
        let (known, kept, said) = (Rc::clone(&clients), Rc::clone(&connections), Rc::clone(&lines));
        let on_connection = move |reader: StreamReader, writer: StreamWriter| {
            let peer = writer.peer_addr().ok();
            let is_it = |client: &TcpStream| client.local_addr().ok() == peer;
            let number = known.borrow().iter().position(is_it);
            said.borrow_mut().push(format!("  client {} is served", number.unwrap_or(999)));
            kept.borrow_mut().push((reader, writer));
            async { Ok(()) }
        };
        let options = ServerOptions { backlog, ..ServerOptions::default() };
        let hosts: Vec<SocketAddr> = hosts.iter().map(|&host| (host, 0).into()).collect();
        let start = async move { options.start_server(on_connection, hosts).await };
        let server = Rc::new(RefCell::new(None));
        let made = Rc::clone(&server);
        event_loop.run_until_complete(async move {
            made.replace(Some(start.await?));
            Ok(())
        })?;
        let server = server.take().context("a server")?;
        let addresses = server.local_addrs()?;
        // A negative backlog is the longest one. The kernel keeps one more than it's asked to.
        let longest: usize = fs::read_to_string("/proc/sys/net/core/somaxconn")?.trim().parse()?;
        let room = usize::try_from(backlog).map_or(longest, |backlog| backlog.min(longest)) + 1;
        let listeners: Vec<RawFd> = server.sockets().iter().map(AsRawFd::as_raw_fd).collect();
        let said = Rc::clone(&lines);
        event_loop.set_exception_handler(move |report| {
            let mut report = report.to_string();
            for (after, listener) in listeners.iter().rev().enumerate() {
                let name = if after == 0 { "fd listener:" } else { "fd other listener:" };
                report = report.replace(&format!("fd {listener}:"), name);
            }
            said.borrow_mut().push(format!("  reported: {report}"));
        });
        let kept = RefCell::default();
        Ok(Stage { event_loop, clock, server, room, addresses, clients, connections, kept, lines })
    }

    pub(super) fn perform(&self, verb: Verb) -> anyhow::Result<()> {
        self.lines.borrow_mut().push(verb.to_string());
        match verb {
            Verb::Connect(count) => self.connect(count)?,
            Verb::ConnectToFirst => {
                let listener = self.server.sockets().into_iter().next();
                if let Some(listener) = listener.filter(|_| self.addresses.len() > 1) {
                    self.clients.borrow_mut().push(connect(listener, self.addresses[0])?);
                }
            }
            Verb::Tick => self.tick()?,
            Verb::TickWithoutDescriptors => without_free_descriptors(|| self.tick())??,
            Verb::Pass(millis) => {
                self.clock.advance(Duration::from_millis(millis));
                self.tick()?;
            }
            Verb::Break => {
                if let Some(socket) = self.listener() {
                    TcpStream::from(socket.try_clone()?).shutdown(Shutdown::Both)?;
                }
            }
            Verb::Keep => self.kept.borrow_mut().extend(self.listener()),
            Verb::Close => self.server.close(),
        }
        Ok(())
    }

    fn listener(&self) -> Option<Rc<OwnedFd>> {
        self.server.sockets().pop()
    }

    /// Lets clients connect, one after the other, if there's a listener.
    fn connect(&self, count: usize) -> anyhow::Result<()> {
        for _ in 0..count {
            let Some(listener) = self.listener() else { return Ok(()) };
            let waiting = self.clients.borrow().len() - self.connections.borrow().len();
            let has_room = waiting < self.room && !self.is_broken()?;
            if has_room {
                self.clients
                    .borrow_mut()
                    .push(connect(listener, self.addresses[self.addresses.len() - 1])?);
            }
        }
        Ok(())
    }

    /// Returns true if the listener was shut down.
    fn is_broken(&self) -> anyhow::Result<bool> {
        Ok(match self.listener() {
            Some(listener) => !socket_acceptconn(listener)?,
            None => true,
        })
    }

    fn tick(&self) -> anyhow::Result<()> {
        let before = self.waiting()?;
        self.event_loop.stop();
        self.event_loop.run_forever()?;
        let accepted = before.saturating_sub(self.waiting()?);
        if accepted > 0 {
            self.lines.borrow_mut().push(format!("  accepted in this tick: {accepted}"));
        }
        Ok(())
    }

    /// Counts the clients in the listener's queue.
    fn waiting(&self) -> anyhow::Result<u32> {
        match self.listener() {
            Some(listener) if !self.is_broken()? => Ok(waiting_at(listener)?),
            _ => Ok(0),
        }
    }

    /// Ends everything and returns the lines that were printed.
    pub(super) fn close(self) -> anyhow::Result<Vec<String>> {
        let (sleeps, sockets) = (self.event_loop.select_timeout(), self.server.sockets().len());
        self.lines.borrow_mut().extend([
            format!("the server's listeners: {sockets}"),
            format!("the loop could sleep: {sleeps:?}"),
        ]);
        self.server.close();
        for listener in self.kept.take() {
            let waiting = waiting_at(listener)?;
            self.lines.borrow_mut().push(format!("clients at the listener that's kept: {waiting}"));
        }
        for (_, writer) in &*self.connections.borrow() {
            writer.abort();
        }
        self.event_loop.close()?;
        Ok(self.lines.take())
    }
}

/// What happens at one of two listeners has no effect on the other.
const AT_THE_SECOND_LISTENER: [Verb; 14] = [
    Verb::Connect(1),
    Verb::Tick,
    Verb::Connect(1),
    Verb::TickWithoutDescriptors,
    Verb::ConnectToFirst,
    Verb::Tick,
    Verb::Tick,
    Verb::Pass(1000),
    Verb::Tick,
    Verb::Break,
    Verb::Tick,
    Verb::ConnectToFirst,
    Verb::Tick,
    Verb::Tick,
];

/// A client waits, and the server is closed during a pause.
const CLOSED_IN_A_PAUSE: [Verb; 6] = [
    Verb::Connect(1),
    Verb::TickWithoutDescriptors,
    Verb::Keep,
    Verb::Close,
    Verb::Pass(1000),
    Verb::Tick,
];

trial!(
    clients_of_a_server,
    42,
    "A server accepts all waiting clients, up to its backlog, and pauses when no descriptors are left."
);
fn clients_of_a_server(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    // A few programs begin with many clients, or with a backlog that's no number of clients.
    let (backlog, clients) = match program.number() % 42 {
        3 => (150, 140),
        13 | 23 => (100, 12 + random.below(20)),
        8 | 18 | 28 => (random.choose(&[-1, -5, i32::MIN]), 3),
        41 => (100, 0),
        _ => (random.choose(&[0, 1, 2, 2, 100]), 0),
    };
    let mut verbs = Vec::new();
    if clients > 0 {
        verbs.extend([Verb::Connect(clients), Verb::Tick, Verb::Tick]);
    }
    let stage = if program.number() % 42 == 40 {
        verbs.extend(AT_THE_SECOND_LISTENER);
        say!(t, "a server with two listeners");
        Stage::listening(100, &[Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)])?
    } else {
        match program.number() % 42 {
            41 => verbs.extend(CLOSED_IN_A_PAUSE),
            _ => verbs.extend((0..18).map(|_| Verb::random(&mut random))),
        }
        say!(t, "a server with a backlog of {backlog}");
        Stage::new(backlog)?
    };
    for verb in program.verbs(verbs) {
        stage.perform(verb)?;
    }
    for line in stage.close()? {
        say!(t, "{line}");
    }
    Ok(())
}
