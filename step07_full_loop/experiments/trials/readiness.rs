//! A trial of the note that a descriptor is ready: when the note is cleared, and when a call is
//! made.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{AsyncFd, EventLoop, Interest, Task, create_task};

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
