//! Trials of the note that a descriptor is ready: which tasks an event wakes, when the note is
//! cleared, and when a call is made.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{AsyncFd, EventLoop, Interest, Result, Task, create_task, get_running_loop};

pub(super) type Fd = Rc<AsyncFd<UnixStream>>;

/// Makes a connection in the loop: our side, on which tasks only wait to read, and the peer's.
pub(super) fn connected(event_loop: &EventLoop) -> anyhow::Result<(Fd, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let registered = async { AsyncFd::with_interest(ours, Interest::READABLE) };
    let made = Rc::new(RefCell::new(None));
    let place = Rc::clone(&made);
    event_loop.run_until_complete(async move {
        place.replace(Some(registered.await?));
        Ok(())
    })?;
    let fd = made.take().ok_or_else(|| anyhow::anyhow!("no descriptor was registered"))?;
    Ok((Rc::new(fd), theirs))
}

pub(super) fn tick(event_loop: &EventLoop) -> anyhow::Result<()> {
    event_loop.stop();
    Ok(event_loop.run_forever()?)
}

/// The action of a waker that isn't a task's.
#[derive(Debug, Clone, Copy)]
enum WakerKind {
    /// The waker polls the descriptor again.
    Asks,
    /// The waker clears the note and then polls the descriptor again.
    WaitsAgain,
    /// The waker registers and unregisters a descriptor and schedules a callback and a timer.
    UsesTheLoop,
    Panics,
}

impl fmt::Display for WakerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WakerKind::Asks => "polls again",
            WakerKind::WaitsAgain => "clears the note and polls again",
            WakerKind::UsesTheLoop => "uses the loop",
            WakerKind::Panics => "panics",
        })
    }
}

/// An event that affects a descriptor.
#[derive(Debug, Clone, Copy)]
enum Verb {
    /// A task waits with `readable` or, if the value is true, with `poll_readable`.
    Wait(usize, bool),
    /// The task is cancelled.
    GiveUp(usize),
    Waker(usize, WakerKind),
    /// The peer writes a byte.
    Write,
    /// The peer shuts down its writing direction.
    End,
    /// All bytes that have arrived are read, up to the end or to a read that would block, which
    /// clears the note.
    ReadAll,
    /// One byte is read, and the note is cleared, as after a short read.
    ReadShort,
    Tick,
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        let kinds =
            [WakerKind::Asks, WakerKind::WaitsAgain, WakerKind::UsesTheLoop, WakerKind::Panics];
        match random.below(24) {
            0..6 => Verb::Wait(number, random.below(3) == 0),
            6 => Verb::GiveUp(random.below(number + 1)),
            7..11 => Verb::Waker(number, random.choose(&kinds)),
            11..15 => Verb::Write,
            15 => Verb::End,
            16 => Verb::ReadAll,
            17 => Verb::ReadShort,
            _ => Verb::Tick,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Wait(number, false) => write!(f, "task {number}: readable().await, one tick"),
            Verb::Wait(number, true) => write!(f, "task {number}: poll_readable(), one tick"),
            Verb::End => f.write_str("the peer: shutdown(Write)"),
            Verb::Tick => f.write_str("one tick"),
            other => write!(f, "{other:?}"),
        }
    }
}

thread_local! {
    /// The descriptor, for the wakers: a waker has to be `Send`, so it can't own an `Rc`.
    static FD: RefCell<Option<Fd>> = const { RefCell::new(None) };
}

struct ForeignWaker(usize, WakerKind, Transcript);

impl Wake for ForeignWaker {
    fn wake(self: Arc<Self>) {
        let (number, t) = (self.0, self.2);
        say!(t, "  waker {number} is called");
        let Some(fd) = FD.with_borrow(Clone::clone) else { return };
        match self.1 {
            WakerKind::Asks => say!(t, "    it calls poll_readable(): {}", polled(&fd, self)),
            WakerKind::WaitsAgain => {
                fd.clear_readable();
                say!(t, "    it clears the note and calls poll_readable(): {}", polled(&fd, self));
            }
            WakerKind::UsesTheLoop => {
                let used = use_the_loop(t, number);
                say!(t, "    it can use the loop: {}", used.is_ok());
            }
            // A panic!, but without its message on standard error.
            WakerKind::Panics => resume_unwind(Box::new("oh no")),
        }
    }
}

fn use_the_loop(t: Transcript, number: usize) -> Result<()> {
    let event_loop = get_running_loop()?;
    let (other, _its_peer) = UnixStream::pair()?;
    event_loop.add_reader(&other, || {})?;
    event_loop.remove_reader(&other)?;
    event_loop.call_soon(move || say!(t, "  waker {number}'s callback"));
    event_loop.call_later(Duration::ZERO, move || say!(t, "  waker {number}'s timer"));
    Ok(())
}

fn polled(fd: &AsyncFd<UnixStream>, waker: Arc<ForeignWaker>) -> &'static str {
    match fd.poll_readable(&mut Context::from_waker(&Waker::from(waker))) {
        Poll::Ready(Ok(())) => "readable",
        Poll::Ready(Err(_)) => "an error",
        Poll::Pending => "not now",
    }
}

fn wait(t: Transcript, fd: &Fd, number: usize, by_polling: bool) -> Result<Task<()>> {
    let fd = Rc::clone(fd);
    Ok(create_task(async move {
        let outcome = if by_polling {
            poll_fn(|context| fd.poll_readable(context)).await
        } else {
            fd.readable().await
        };
        say!(t, "  task {number}: {outcome:?}");
        Ok(())
    })?)
}

trial!(
    events_of_a_socket,
    60,
    "An event is noted and wakes all waiters, whatever they do when woken; the note stays set until it's cleared."
);
fn events_of_a_socket(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..16).map(|number| Verb::random(number, &mut random)));
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(move |report| say!(t, "  reported: {report}"));
    let (fd, peer) = connected(&event_loop)?;
    FD.set(Some(Rc::clone(&fd)));
    let mut tasks: Vec<(usize, Task<()>)> = Vec::new();
    for verb in verbs.into_iter().chain([Verb::Tick, Verb::Tick]) {
        match verb {
            Verb::Wait(number, by_polling) => {
                let (waiting, keep) = (Rc::clone(&fd), Rc::new(RefCell::new(None)));
                let place = Rc::clone(&keep);
                // Made in the loop and begun in the next tick.
                event_loop.call_soon(move || {
                    place.replace(wait(t, &waiting, number, by_polling).ok());
                });
                tick(&event_loop)?;
                tasks.extend(keep.take().map(|task| (number, task)));
            }
            Verb::GiveUp(number) => {
                let task = tasks.iter().find(|(made, _)| *made == number);
                let Some((_, task)) = task else { continue };
                say!(t, "cancel task {number}: {}", task.cancel());
                continue;
            }
            Verb::Waker(number, kind) => {
                let waker = Arc::new(ForeignWaker(number, kind, t));
                say!(
                    t,
                    "poll_readable() with waker {number}, which {kind} when it's called: {}",
                    polled(&fd, waker)
                );
                continue;
            }
            Verb::Write => {
                // It fails once the peer has ended.
                let written = (&peer).write(b"!").is_ok();
                say!(t, "the peer writes a byte: {written}");
                continue;
            }
            Verb::End => peer.shutdown(Shutdown::Write)?,
            Verb::ReadAll => {
                let mut all = Vec::new();
                let ended = fd.get_ref().read_to_end(&mut all).is_ok();
                if !ended {
                    fd.clear_readable();
                }
                say!(t, "bytes read: {}; the stream has ended: {ended}", all.len());
                continue;
            }
            Verb::ReadShort => {
                let count = fd.get_ref().read(&mut [0]).unwrap_or(0);
                fd.clear_readable();
                say!(t, "bytes in a short read: {count}");
                continue;
            }
            Verb::Tick => tick(&event_loop)?,
        }
        say!(t, "{verb}; readable: {}", fd.readable_now());
    }
    FD.set(None);
    event_loop.close()?;
    Ok(())
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    Bytes(usize),
    WouldBlock,
    Interrupted,
    Fails(ErrorKind),
}

/// An event while calls are made.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A task makes a call that returns these outcomes in a row.
    Begin([Outcome; 4]),
    /// The peer writes a byte.
    Write,
    /// The peer shuts down its writing direction.
    End,
    Cancel,
    Tick,
}

impl Step {
    fn random(random: &mut Random) -> Step {
        let mut outcome = || match random.below(10) {
            0..4 => Outcome::WouldBlock,
            4..7 => Outcome::Interrupted,
            7 => Outcome::Fails(ErrorKind::ConnectionReset),
            8 => Outcome::Fails(ErrorKind::InvalidInput),
            more => Outcome::Bytes(more),
        };
        let outcomes = [outcome(), outcome(), outcome(), Outcome::Bytes(4)];
        match random.below(11) {
            0..3 => Step::Begin(outcomes),
            3..6 => Step::Write,
            6 => Step::Cancel,
            7 => Step::End,
            _ => Step::Tick,
        }
    }
}

/// Returns a call that prints a line each time it's made.
fn scripted(t: Transcript, mut script: VecDeque<Outcome>) -> impl FnMut() -> io::Result<usize> {
    move || {
        let outcome = script.pop_front();
        match outcome {
            Some(outcome) => say!(t, "  the call is made: {outcome:?}"),
            None => say!(t, "  the call is made too often"),
        }
        match outcome {
            Some(Outcome::Bytes(count)) => Ok(count),
            Some(Outcome::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
            Some(Outcome::Interrupted) => Err(ErrorKind::Interrupted.into()),
            Some(Outcome::Fails(kind)) => Err(kind.into()),
            None => Err(io::Error::other("no such outcome")),
        }
    }
}

trial!(
    calls_of_a_socket,
    60,
    "A call is made only while the note is set; one that would block is repeated after the next event, or at once if an end was reported."
);
fn calls_of_a_socket(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let steps = program.verbs((0..12).map(|_| Step::random(&mut random)));
    let event_loop = EventLoop::new()?;
    let (fd, peer) = connected(&event_loop)?;
    let task: Rc<RefCell<Option<Task<()>>>> = Rc::default();
    let is_busy = Rc::new(Cell::new(false));
    for step in steps.into_iter().chain([Step::Tick, Step::Tick]) {
        match step {
            Step::Begin(_) if is_busy.get() => {}
            Step::Begin(outcomes) => {
                say!(t, "a task makes a call");
                let (fd, place, busy) = (Rc::clone(&fd), Rc::clone(&task), Rc::clone(&is_busy));
                is_busy.set(true);
                event_loop.call_soon(move || {
                    let made = create_task(async move {
                        let mut call = scripted(t, outcomes.into());
                        let outcome = fd.read_io(|_| call()).await;
                        busy.set(false);
                        match outcome {
                            Err(error) if error.is_cancelled() => {
                                say!(t, "  the task is cancelled");
                            }
                            outcome => say!(t, "  the task gets a result: {}", outcome.is_ok()),
                        }
                        Ok(())
                    });
                    place.replace(made.ok());
                });
                tick(&event_loop)?;
            }
            Step::Write => {
                // It fails once the peer has ended.
                let written = (&peer).write(b"!").is_ok();
                say!(t, "the peer writes a byte: {written}");
            }
            Step::End => {
                peer.shutdown(Shutdown::Write)?;
                say!(t, "the peer: shutdown(Write)");
            }
            Step::Cancel => {
                let task = task.borrow().clone();
                say!(t, "cancel(): {}", task.is_some_and(|task| task.cancel()));
            }
            Step::Tick => {
                tick(&event_loop)?;
                let can_sleep = event_loop.select_timeout().is_none();
                say!(t, "one tick; the loop can sleep: {can_sleep}");
            }
        }
    }
    task.take();
    say!(t, "at the end, the note says: {}", fd.readable_now());
    event_loop.set_exception_handler(|_| {});
    event_loop.close()?;
    Ok(())
}
