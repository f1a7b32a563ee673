//! Trials of `run_in_executor`: work that waits behind other work on the only thread and is
//! cancelled there, and work that's refused.

use std::fmt;
use std::mem;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{Error, EventLoop, Future, LoopResult, Result, ThreadPool};

use super::state::State;

/// The ways in which a piece of work can end.
#[derive(Debug, Clone, Copy)]
enum WorkEnd {
    Value,
    Failure,
    Io,
    Panic,
    /// A panic with a `String` instead of a `&str`.
    PanicWithAString,
    PanicWithoutText,
    Cancellation,
}

impl WorkEnd {
    fn words(self) -> &'static str {
        match self {
            WorkEnd::Value => "returns a value",
            WorkEnd::Failure => "fails",
            WorkEnd::Io => "fails with ENOENT",
            WorkEnd::Panic => "panics",
            WorkEnd::PanicWithAString => "panics with a String",
            WorkEnd::PanicWithoutText => "panics without text",
            WorkEnd::Cancellation => "returns Err(Cancelled)",
        }
    }
}

const ENDS: [WorkEnd; 9] = [
    WorkEnd::Value,
    WorkEnd::Value,
    WorkEnd::Value,
    WorkEnd::Failure,
    WorkEnd::Io,
    WorkEnd::Panic,
    WorkEnd::PanicWithAString,
    WorkEnd::PanicWithoutText,
    WorkEnd::Cancellation,
];

/// An event while the thread is busy.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Submit(usize, WorkEnd),
    Cancel(usize),
    /// The loop runs a tick while the work waits.
    Tick,
    /// The thread does all waiting work, and the loop gets the outcomes.
    Done,
    /// The pool takes no more work but finishes the queued work.
    ShutDown,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Submit(number, end) => write!(f, "submit {number}, which {}", end.words()),
            Verb::Cancel(number) => write!(f, "cancel {number}"),
            Verb::Tick => f.write_str("a tick"),
            Verb::Done => f.write_str("the thread does all the work that waits"),
            Verb::ShutDown => f.write_str("shutdown_default_executor()"),
        }
    }
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        let end = random.choose(&ENDS);
        match random.below(20) {
            0..9 => Verb::Submit(number, end),
            9..13 => Verb::Cancel(random.below(number + 1)),
            13..17 => Verb::Tick,
            17..19 => Verb::Done,
            _ => Verb::ShutDown,
        }
    }
}

/// The lines that the work prints, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// A value that the work holds, so that the trial notices when the work is dropped.
type Held = Arc<()>;

struct World {
    event_loop: EventLoop,
    log: Log,
    futures: Vec<(usize, Future<usize>, Held)>,
    gate: Option<Sender<()>>,
    is_shut_down: bool,
}

impl World {
    fn new(t: Transcript) -> anyhow::Result<Self> {
        let event_loop = EventLoop::new()?;
        event_loop.set_exception_handler(move |report| say!(t, "  reported: {report}"));
        event_loop.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
        let (log, futures) = (Log::default(), Vec::new());
        let mut world = World { event_loop, log, futures, gate: None, is_shut_down: false };
        world.keep_busy()?;
        Ok(world)
    }

    /// Gives the thread work that lasts until the gate is opened and waits until the work has
    /// begun.
    fn keep_busy(&mut self) -> anyhow::Result<()> {
        let ((open, gate), (tell, begun)) = (mpsc::channel(), mpsc::channel());
        let the_loops = thread::current().id();
        drop(self.event_loop.run_in_executor(move || {
            tell.send(()).map_err(Error::other)?;
            if thread::current().id() == the_loops {
                return Err(Error::other("the work runs on the loop's own thread"));
            }
            wait_at(&gate)
        }));
        begun.recv()?;
        self.gate = Some(open);
        Ok(())
    }

    fn submit(&mut self, number: usize, end: WorkEnd) {
        let (log, held) = (Arc::clone(&self.log), Held::default());
        let inside = Arc::clone(&held);
        let future = self.event_loop.run_in_executor(move || {
            let thread = thread::current().name().unwrap_or("a thread without a name").to_owned();
            note(&log, format!("  {number} runs on {thread}"));
            drop(inside);
            match end {
                WorkEnd::Value => Ok(number),
                WorkEnd::Failure => Err(Error::other("no such user")),
                WorkEnd::Io => Err(std::io::Error::from_raw_os_error(libc::ENOENT).into()),
                WorkEnd::Cancellation => Err(Error::cancelled()),
                // A panic!, but without its message on standard error.
                WorkEnd::Panic => resume_unwind(Box::new("oh no")),
                WorkEnd::PanicWithAString => {
                    resume_unwind(Box::new(format!("{number} has panicked")))
                }
                WorkEnd::PanicWithoutText => resume_unwind(Box::new(number)),
            }
        });
        self.futures.push((number, future, held));
    }

    fn tick(&self) -> anyhow::Result<()> {
        self.event_loop.stop();
        Ok(self.event_loop.run_forever()?)
    }

    /// Opens the gate and runs the loop until the outcomes of all work have arrived.
    fn finish_all(&mut self) -> anyhow::Result<()> {
        let Some(gate) = self.gate.take() else { return Ok(()) };
        let (tell, told) = mpsc::channel();
        let last = self.event_loop.run_in_executor(move || tell.send(()).map_err(Error::other));
        gate.send(())?;
        // The outcomes of all work before the last have been sent when that one runs.
        told.recv()?;
        drop(last);
        self.tick()?;
        self.tick()
    }

    /// Finishes all waiting work and waits until the thread has ended.
    fn shut_down(&mut self) -> anyhow::Result<()> {
        self.finish_all()?;
        self.is_shut_down = true;
        Ok(wait_for_the_threads(&self.event_loop)?)
    }

    /// Returns the futures' states and, if a tick has just run, whether each piece of work is still
    /// held. Before that tick, a callback can hold cancelled work.
    fn states(&self, after_a_tick: bool) -> String {
        let state = |(number, future, held): &(usize, Future<usize>, Held)| {
            let is_held = after_a_tick && Arc::strong_count(held) > 1;
            let held = if is_held { ", held" } else { "" };
            format!("{number} {}{held}", State(future))
        };
        self.futures.iter().map(state).collect::<Vec<_>>().join("; ")
    }
}

pub(super) fn wait_for_the_threads(event_loop: &EventLoop) -> LoopResult<()> {
    let inner = event_loop.clone();
    event_loop.run_until_complete(async move { inner.shutdown_default_executor().await })
}

pub(super) fn wait_at(gate: &Receiver<()>) -> Result<()> {
    gate.recv().map_err(Error::other)
}

fn note(log: &Log, line: String) {
    log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
}

trial!(
    work_on_a_thread,
    80,
    "Unless work is refused or cancelled first, it runs once, on a thread of the pool, and its outcome arrives unchanged."
);
fn work_on_a_thread(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..12).map(|number| Verb::random(number, &mut random)));
    let mut world = World::new(t)?;
    for verb in verbs.into_iter().chain([Verb::Tick, Verb::Done]) {
        match verb {
            Verb::Submit(number, end) => world.submit(number, end),
            Verb::Cancel(number) => {
                let future = world.futures.iter().find(|(made, ..)| *made == number);
                let Some((_, future, _)) = future else { continue };
                say!(t, "  cancel {number}: {}", future.cancel());
                continue;
            }
            Verb::Tick => world.tick()?,
            Verb::Done if world.is_shut_down => continue,
            Verb::Done => {
                world.finish_all()?;
                world.keep_busy()?;
            }
            Verb::ShutDown => world.shut_down()?,
        }
        for line in mem::take(&mut *world.log.lock().unwrap_or_else(PoisonError::into_inner)) {
            say!(t, "{line}");
        }
        let after_a_tick = !matches!(verb, Verb::Submit(..));
        say!(t, "{verb}; {}", world.states(after_a_tick));
    }
    world.shut_down()?;
    world.event_loop.close()?;
    let futures = world.futures.len();
    // A panic!, without its message: an answer that's right panics here, too.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let after = catch_unwind(AssertUnwindSafe(|| world.submit(99, WorkEnd::Value)));
    std::panic::set_hook(hook);
    let is_refused = after.is_err() && world.futures.len() == futures;
    say!(t, "the loop is closed; run_in_executor panics: {is_refused}");
    Ok(())
}
