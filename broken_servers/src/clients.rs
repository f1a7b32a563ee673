//! The clients, who are also the clock of the server's loop.
//!
//! A loop asks its clock before each sleep. That's when the clients have their turn: one of them does
//! what the story says, and the clock moves to the time at which it does so. If one of the loop's timers
//! is due earlier, the clock moves there instead. So clients and server never run at the same time,
//! nothing is left to luck, and the trace of the loop shows the server alone.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use step07_full_loop::{Clock, Time, current_task, get_running_loop};

use crate::story::{Act, Move};

/// All clients of a server. A clone is another handle to the same ones.
#[derive(Clone)]
pub(crate) struct Clients {
    address: Rc<PathBuf>,
    now: Rc<Cell<Time>>,
    moves: Rc<RefCell<VecDeque<Move>>>,
    connected: Rc<RefCell<Vec<Client>>>,
    seen: Rc<RefCell<Seen>>,
    /// A client has done something that the server's loop may want to see, before the clock moves on.
    has_news: Rc<Cell<bool>>,
    /// How many tasks of each kind have a name.
    named: Rc<RefCell<BTreeMap<String, u32>>>,
}

/// What there was to see.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What has happened, in order, and when.
    pub(crate) log: Vec<(Time, String)>,
    /// How many bytes each client has received behind its last line.
    pub(crate) bytes: Vec<(&'static str, usize)>,
    /// How often the loop has slept until a timer of its own, since a client has last done something.
    pub(crate) timers_since: usize,
    /// A client couldn't do what the story says.
    pub(crate) failed: Option<io::Error>,
}

/// A server that has sent this much may be waiting for room.
const MUCH: usize = 32 * 1024;

struct Client {
    name: &'static str,
    socket: UnixStream,
    /// What has been received, from the last end of a line on.
    received: Vec<u8>,
    reads: bool,
}

impl Clients {
    pub(crate) fn new(address: PathBuf, moves: VecDeque<Move>) -> Self {
        Clients {
            address: Rc::new(address),
            now: Rc::default(),
            moves: Rc::new(RefCell::new(moves)),
            connected: Rc::default(),
            seen: Rc::default(),
            has_news: Rc::default(),
            named: Rc::default(),
        }
    }

    /// Adds a line to what has happened.
    pub(crate) fn note(&self, what: String) {
        self.seen.borrow_mut().log.push((self.now.get(), what));
    }

    /// Returns what there was to see, once all is over.
    pub(crate) fn seen(&self) -> Seen {
        for client in self.connected.borrow().iter() {
            self.seen.borrow_mut().bytes.push((client.name, client.received.len()));
        }
        self.seen.take()
    }

    /// Does what comes next in the story, if that's before `limit`. Returns false if it isn't.
    fn make_a_move(&self, limit: Option<Time>) -> bool {
        let is_next = |next: &&Move| limit.is_none_or(|limit| next.at <= limit);
        let Some(next) = self.moves.borrow().front().filter(is_next).copied() else { return false };
        self.moves.borrow_mut().pop_front();
        self.now.set(self.now.get().max(next.at));
        if let Err(error) = self.act(next) {
            self.seen.borrow_mut().failed.get_or_insert(error);
        }
        true
    }

    fn act(&self, Move { who, act, .. }: Move) -> io::Result<()> {
        let said = match act {
            Act::Connects | Act::ConnectsBusy => {
                let socket = UnixStream::connect(&*self.address)?;
                socket.set_nonblocking(true)?;
                let reads = matches!(act, Act::Connects);
                let client = Client { name: who, socket, received: Vec::new(), reads };
                self.connected.borrow_mut().push(client);
                format!("{who} connects")
            }
            Act::BeginsToRead => {
                self.with(who, |client| client.reads = true);
                format!("{who} begins to read")
            }
            Act::Sends(line) => {
                let sent = self.with(who, |client| client.send(line));
                sent.transpose()?;
                format!("{who} sends {line:?}")
            }
            Act::Leaves => {
                self.connected.borrow_mut().retain(|client| client.name != who);
                format!("{who} leaves")
            }
            Act::Ends => return self.end(),
        };
        self.note(said);
        self.has_news.set(true);
        self.seen.borrow_mut().timers_since = 0;
        self.look()
    }

    fn end(&self) -> io::Result<()> {
        self.note("that's the end".to_owned());
        get_running_loop().map_err(io::Error::other)?.stop();
        Ok(())
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Client) -> T) -> Option<T> {
        self.connected.borrow_mut().iter_mut().find(|client| client.name == name).map(act)
    }

    /// Lets all clients read.
    fn look(&self) -> io::Result<()> {
        for client in self.connected.borrow_mut().iter_mut().filter(|client| client.reads) {
            let before = client.received.len();
            let is_open = client.receive()?;
            if client.received.len() - before > MUCH {
                self.has_news.set(true);
            }
            for line in client.lines() {
                self.note(format!("{} receives {line:?}", client.name));
            }
            if !is_open {
                client.reads = false;
                self.note(format!("{} is disconnected", client.name));
            }
        }
        Ok(())
    }
}

impl Client {
    fn send(&mut self, line: &str) -> io::Result<()> {
        self.socket.write_all(format!("{line}\n").as_bytes())
    }

    /// Reads what has arrived. Returns false at the end.
    fn receive(&mut self) -> io::Result<bool> {
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

    /// Takes the lines that are complete.
    fn lines(&mut self) -> Vec<String> {
        let complete = self.received.iter().rposition(|byte| *byte == b'\n').map_or(0, |it| it + 1);
        let taken: Vec<u8> = self.received.drain(..complete).collect();
        String::from_utf8_lossy(&taken).lines().map(str::to_owned).collect()
    }
}

impl Clock for Clients {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        if let Err(error) = self.look() {
            self.seen.borrow_mut().failed.get_or_insert(error);
        }
        let has_time = wanted != Some(Duration::ZERO) && !self.has_news.get();
        let timer = wanted.map(|wanted| self.now.get() + wanted);
        if has_time
            && !self.make_a_move(timer)
            && let Some(timer) = timer
        {
            self.now.set(timer);
            self.seen.borrow_mut().timers_since += 1;
        }
        // From here on, the loop looks what's new.
        self.has_news.set(false);
        Some(Duration::ZERO)
    }
}

thread_local! {
    /// The clients of the server that runs in this thread.
    static PLAYING: RefCell<Option<Clients>> = const { RefCell::new(None) };
}

/// Lets a server's work take time: the loop's clock moves, and the clients don't wait.
pub(crate) fn playing<T>(clients: &Clients, run: impl FnOnce() -> T) -> T {
    PLAYING.set(Some(clients.clone()));
    let ran = run();
    PLAYING.set(None);
    ran
}

/// Stands for work that keeps the thread busy for this long, such as a computation. Time is virtual
/// here, so it only moves the clock.
pub fn work(duration: Duration) {
    let Some(clients) = PLAYING.with_borrow(Clone::clone) else { return };
    let until = clients.now.get() + duration;
    while clients.make_a_move(Some(until)) {}
    clients.now.set(until);
}

pub(crate) fn name_this_task(kind: &str) {
    let clients = PLAYING.with_borrow(Clone::clone);
    let (Some(clients), Some(task)) = (clients, current_task()) else { return };
    let mut named = clients.named.borrow_mut();
    let count = named.entry(kind.to_owned()).or_default();
    *count += 1;
    task.set_name(&format!("{kind} {count}"));
}
