//! A server and its clients, from the beginning to the end.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use anyhow::Result;
use asyncio::{EventLoop, Time};

use crate::clients::Clients;
use crate::for_servers::playing;
use crate::story::Story;
use crate::watchdog::Watchdog;
use crate::{Serve, ticks};

/// Whether the loop's ticks are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traced {
    /// They aren't; but `WORKBOOK_TRACE` is obeyed, as in any program with this loop.
    No,
    /// They are, as text.
    Ticks,
}

/// What there was to see, while the story was played.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What has happened, in order, and when.
    pub(crate) log: Vec<(Time, String)>,
    /// How much of that the ticks show already.
    pub(crate) told: usize,
    /// What each client has received behind its last line.
    pub(crate) rests: Vec<(&'static str, Vec<u8>)>,
    /// When the loop has slept until a timer of its own.
    pub(crate) timers: Vec<Time>,
    /// Why the story can't be played to its end.
    pub(crate) failed: Option<anyhow::Error>,
}

/// A story that was played to its end.
#[derive(Debug)]
pub struct Played {
    seen: Seen,
    ticks: String,
    outcome: Outcome,
}

/// How a story has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The fault shows.
    Symptom(String),
    /// The fault doesn't show, but something that has to happen doesn't happen either.
    Missing(String),
    /// Neither.
    AllIsWell,
}

/// Plays a server and the story of its clients. Fails if the story can't be played, whatever the server
/// does.
pub fn play(serve: Serve, story: Story, traced: Traced) -> Result<Played> {
    let socket = SocketFile::new();
    let clients = Clients::new(socket.0.clone(), story.moves);
    let event_loop = EventLoop::with_clock(clients.clone())?;
    let recorded = Rc::new(RefCell::new(String::new()));
    if traced == Traced::Ticks {
        let (recorded, told) = (Rc::clone(&recorded), clients.clone());
        event_loop.set_trace(move |tick| {
            *recorded.borrow_mut() += &ticks::described(tick, &told.news());
        });
    }
    let reported = clients.clone();
    event_loop.set_exception_handler(move |context| {
        reported.note(format!("the server reports an error: {context}"));
    });
    let watchdog = Watchdog::start(Arc::clone(&clients.turns));
    playing(&clients, || run(&event_loop, serve(socket.0.clone()), &clients))?;
    drop(watchdog);

    *recorded.borrow_mut() += &ticks::story(&clients.news());
    let mut seen = clients.seen();
    if let Some(error) = seen.failed.take() {
        return Err(error);
    }
    let mut played = Played { seen, ticks: recorded.take(), outcome: Outcome::AllIsWell };
    let symptom = (story.symptom)(&played).map(Outcome::Symptom);
    let missing = || (story.missing)(&played).map(Outcome::Missing);
    played.outcome = symptom.or_else(missing).unwrap_or(Outcome::AllIsWell);
    Ok(played)
}

/// Runs the server until the story is over, or the server is.
fn run(
    event_loop: &EventLoop,
    server: impl Future<Output = asyncio::Result<()>> + 'static,
    clients: &Clients,
) -> Result<()> {
    let server = event_loop.create_task(server);
    server.set_name("server");
    let (stopper, watching) = (event_loop.clone(), clients.clone());
    server.add_done_callback(move |ended| {
        watching.note(match ended.result() {
            Ok(()) => "the server has ended".to_owned(),
            Err(error) => format!("the server has failed: {error}"),
        });
        stopper.stop();
    });
    event_loop.run_forever()?;
    event_loop.clear_trace();
    // What's left is dropped and not cancelled: it might not want to end.
    event_loop.set_exception_handler(|_| {});
    event_loop.close()?;
    Ok(())
}

impl Played {
    /// Returns the loop's ticks as text, with the story in between, if they were recorded.
    pub fn ticks(&self) -> String {
        format!("{}\n{}\n", self.ticks, self.outcome)
    }

    /// Returns how the story has ended.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns when something has happened last, such as "the server has ended".
    pub fn when(&self, what: &str) -> Option<Time> {
        self.seen.log.iter().rfind(|(_, said)| said == what).map(|(at, _)| *at)
    }

    /// Returns when a client has received a line, the first time.
    pub fn first_received(&self, who: &str, line: &str) -> Option<Time> {
        let what = format!("{who} receives {line:?}");
        self.seen.log.iter().find(|(_, said)| *said == what).map(|(at, _)| *at)
    }

    /// Returns when a client has received a line, the last time.
    pub fn received(&self, who: &str, line: &str) -> Option<Time> {
        self.when(&format!("{who} receives {line:?}"))
    }

    /// Returns what a client has received behind its last line.
    pub fn rest(&self, who: &str) -> &[u8] {
        let rest = self.seen.rests.iter().find(|(name, _)| *name == who);
        rest.map_or(&[], |(_, rest)| rest)
    }

    /// Returns how often the loop has slept until a timer, later than this.
    pub fn timers_after(&self, time: Time) -> usize {
        self.seen.timers.iter().filter(|timer| **timer > time).count()
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, what) in &self.seen.log {
            writeln!(f, "{:>6} s  {what}", ticks::seconds(*at - Time::ZERO))?;
        }
        writeln!(f, "\n{}", self.outcome)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Symptom(symptom) => write!(f, "The symptom: {symptom}."),
            Outcome::Missing(missing) => write!(f, "The fault is gone, but {missing}."),
            Outcome::AllIsWell => write!(f, "All is well."),
        }
    }
}

/// The path of a Unix socket, which is removed at the end.
struct SocketFile(PathBuf);

impl SocketFile {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(1);
        // Relaxed: each addition finds another value, and nothing else is read because of it.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("broken_servers-{}-{number}", process::id());
        SocketFile(env::temp_dir().join(name))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A server that never got as far as its socket has left none.
        let _ = fs::remove_file(Path::new(&self.0));
    }
}

/// Returns a time of a story.
pub(crate) const fn milliseconds(count: u64) -> Time {
    Time::from_nanos(count * 1_000_000)
}
