//! The clients, which also serve as the clock of the server's loop.
//!
//! A loop consults its clock before each sleep, and that's when the clients take their turn: once
//! the loop has handled the previous move, one of them makes the story's next move, and the clock
//! advances to the time of that move. If one of the loop's timers is due earlier, the clock
//! advances only to the time of that timer. Clients also make their moves while the server
//! simulates work, which advances the clock. So clients and server never run at the same time,
//! nothing depends on luck, and the loop's trace shows only the server.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use asyncio::{Clock, Time, get_running_loop};

use crate::client::Client;
use crate::seen::Seen;
use crate::story::{Act, Move};

/// All clients of a server. A clone is another handle to the same clients.
#[derive(Clone)]
pub(crate) struct Clients {
    address: Rc<PathBuf>,
    now: Rc<Cell<Time>>,
    moves: Rc<RefCell<VecDeque<Move>>>,
    connected: Rc<RefCell<Vec<Client>>>,
    seen: Rc<RefCell<Seen>>,
    /// True if a client has done something that the server's loop may have to handle before the
    /// clock moves on.
    has_news: Rc<Cell<bool>>,
    /// The number of times that the loop has asked its clock how long to sleep.
    pub(crate) turns: Arc<AtomicU64>,
    /// The number of ticks in a row without a sleep.
    ticks_without_sleep: Rc<Cell<u32>>,
    /// The number of waits for a thread since the clock last moved on to a move or a timer.
    waits_for_threads: Rc<Cell<u32>>,
    /// The number of tasks of each kind that have been named.
    named: Rc<RefCell<BTreeMap<String, u32>>>,
}

/// If a client reads more bytes than this at once, the server may have been waiting for room.
const MUCH: usize = 32 * 1024;

/// The number of ticks in a row without a sleep after which we conclude that the loop never sleeps.
const TOO_MANY_TICKS: u32 = 10_000;

/// The longest time that the loop waits for a thread before it consults its clock again.
const WAIT_FOR_THREADS: Duration = Duration::from_millis(10);
/// The number of these waits after which we give up: at most half a minute in all, which should be
/// enough for anything these servers do.
const TOO_MANY_WAITS: u32 = 3000;

impl Clients {
    pub(crate) fn new(address: PathBuf, moves: VecDeque<Move>) -> Self {
        Clients {
            address: Rc::new(address),
            now: Rc::default(),
            moves: Rc::new(RefCell::new(moves)),
            connected: Rc::default(),
            seen: Rc::default(),
            has_news: Rc::default(),
            turns: Arc::default(),
            ticks_without_sleep: Rc::default(),
            waits_for_threads: Rc::default(),
            named: Rc::default(),
        }
    }

    /// Adds a line to the log of events.
    pub(crate) fn note(&self, what: String) {
        self.seen.borrow_mut().log.push((self.now.get(), what));
    }

    /// Returns the events since the last call to this method.
    pub(crate) fn news(&self) -> Vec<(Time, String)> {
        let mut seen = self.seen.borrow_mut();
        let news = seen.log[seen.told..].to_vec();
        seen.told = seen.log.len();
        news
    }

    /// Returns everything that was recorded and disconnects the remaining clients. The story has to
    /// be over.
    pub(crate) fn seen(&self) -> Seen {
        for client in self.connected.borrow_mut().drain(..) {
            self.seen.borrow_mut().rests.push((client.name, client.received));
        }
        self.seen.take()
    }

    /// Simulates work that keeps the server's thread busy for `duration`: the clock advances by
    /// `duration`, and the clients make the moves that become due.
    pub(crate) fn work(&self, duration: Duration) {
        let until = self.now.get() + duration;
        while self.make_a_move(Some(until)) {}
        self.now.set(until);
    }

    /// Returns the name of the next task of this kind.
    pub(crate) fn next_name(&self, kind: &str) -> String {
        let mut named = self.named.borrow_mut();
        let count = named.entry(kind.to_owned()).or_default();
        *count += 1;
        format!("{kind} {count}")
    }

    /// Makes the story's next move if it's due by `limit`. Returns false if there's no such move.
    fn make_a_move(&self, limit: Option<Time>) -> bool {
        let is_next = |next: &&Move| limit.is_none_or(|limit| next.at <= limit);
        let Some(next) = self.moves.borrow().front().filter(is_next).copied() else { return false };
        self.moves.borrow_mut().pop_front();
        self.now.set(self.now.get().max(next.at));
        self.check(self.act(next));
        // The loop doesn't notice when a client counts its bytes, so that move doesn't use up a
        // turn.
        if matches!(next.act, Act::Counts(_)) { self.make_a_move(limit) } else { true }
    }

    fn act(&self, Move { who, act, .. }: Move) -> io::Result<()> {
        let said = match act {
            Act::Connects | Act::ConnectsBusy => {
                let reads = matches!(act, Act::Connects);
                let client = Client::connect(who, &self.address, reads)?;
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
            Act::Counts(expected) => {
                let count = self.with(who, |client| client.received.len()).unwrap_or_default();
                self.note(format!("{who} has {count} of {expected} bytes"));
                return Ok(());
            }
            Act::Ends => {
                self.note("that's the end".to_owned());
                stop_the_loop();
                return Ok(());
            }
        };
        self.note(said);
        self.has_news.set(true);
        self.look()
    }

    /// Ends the story if a client failed to make its move or to read.
    fn check(&self, outcome: io::Result<()>) {
        if let Err(error) = outcome.context("a client of the story has failed") {
            self.give_up(error);
        }
    }

    fn give_up(&self, why: anyhow::Error) {
        self.seen.borrow_mut().failed.get_or_insert(why);
        stop_the_loop();
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Client) -> T) -> Option<T> {
        self.connected.borrow_mut().iter_mut().find(|client| client.name == name).map(act)
    }

    /// Makes every client that isn't busy read the bytes that have arrived.
    fn look(&self) -> io::Result<()> {
        for client in self.connected.borrow_mut().iter_mut().filter(|client| client.reads) {
            let before = client.received.len();
            let is_open = client.receive()?;
            if client.received.len() - before > MUCH {
                self.has_news.set(true);
            }
            for line in client.lines(before) {
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

impl Clock for Clients {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        // Relaxed: the watchdog reads no other data that depends on this number.
        self.turns.fetch_add(1, Ordering::Relaxed);
        self.check(self.look());
        if wanted == Some(Duration::ZERO) {
            self.count_a_tick_without_sleep();
        } else {
            self.ticks_without_sleep.set(0);
            if get_running_loop().is_ok_and(|event_loop| event_loop.waits_for_a_thread()) {
                return self.wait_for_a_thread();
            }
            if !self.has_news.get() {
                self.move_on(wanted);
            }
        }
        // After this call, the loop checks its descriptors, so it handles all the news.
        self.has_news.set(false);
        Some(Duration::ZERO)
    }
}

impl Clients {
    /// Makes the story's next move. If one of the loop's timers is due earlier, moves the clock to
    /// the time of that timer instead.
    fn move_on(&self, wanted: Option<Duration>) {
        self.waits_for_threads.set(0);
        let timer = wanted.map(|wanted| self.now.get() + wanted);
        if !self.make_a_move(timer)
            && let Some(timer) = timer
        {
            self.now.set(timer);
            self.seen.borrow_mut().timers.push(timer);
        }
    }

    fn count_a_tick_without_sleep(&self) {
        let count = self.ticks_without_sleep.get() + 1;
        self.ticks_without_sleep.set(count);
        if count == TOO_MANY_TICKS {
            self.give_up(anyhow!("the loop never sleeps, so its clients never get a turn"));
        }
    }

    /// Lets the loop sleep in the kernel for a moment, or until a thread is done and wakes the
    /// loop. Meanwhile, the clock stands still: if it moved on, it would be a matter of luck
    /// whether the thread was done by the new time.
    fn wait_for_a_thread(&self) -> Option<Duration> {
        let count = self.waits_for_threads.get() + 1;
        self.waits_for_threads.set(count);
        if count == TOO_MANY_WAITS {
            self.give_up(anyhow!("a thread isn't done in the time that it's given"));
        }
        Some(WAIT_FOR_THREADS)
    }
}

/// Stops the loop. Clients act only when a running loop consults its clock or its thread does
/// `work`, so there is a loop to stop.
fn stop_the_loop() {
    if let Ok(event_loop) = get_running_loop() {
        event_loop.stop();
    }
}
