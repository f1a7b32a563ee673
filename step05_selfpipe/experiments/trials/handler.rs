//! Trials of the handler in one thread: the signals that are taken, and the handler's effects on
//! the interrupted code.

use std::fmt;
use std::io;
use std::thread;

use scene::{Program, Random, Transcript, say, trial};
use step05_selfpipe::{SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::pipes::{fill, readable};
use crate::scenes::allocations::allocations_in;

/// The signals, with the lowest and the highest number among them: each signal has a bit of its
/// own.
const SIGNALS: [i32; 7] = [SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, 34, 63, 64];

/// An event that affects the loop.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Raise(i32),
    RaiseInAThread(i32),
    Fill,
    Turn,
    Renew,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(11) {
            0..5 => Verb::Raise(random.choose(&SIGNALS)),
            5..7 => Verb::RaiseInAThread(random.choose(&SIGNALS)),
            7 => Verb::Fill,
            8..10 => Verb::Turn,
            _ => Verb::Renew,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Raise(signal) => write!(f, "signal {signal}"),
            Verb::RaiseInAThread(signal) => write!(f, "signal {signal} in another thread"),
            Verb::Fill => f.write_str("the pipe is filled"),
            Verb::Turn => f.write_str("the loop drains the pipe and takes the signals"),
            Verb::Renew => f.write_str("the Signals are dropped, and new ones are made"),
        }
    }
}

fn listening(pipe: &SelfPipe) -> io::Result<Signals> {
    let mut signals = Signals::new(pipe.waker())?;
    SIGNALS.iter().try_for_each(|signal| signals.add(*signal))?;
    Ok(signals)
}

/// Handles a signal in this process. If the handler panics, the panic is reported here, whereas a
/// child that's stopped in its handler might not get that far.
pub(super) fn handle_one_here() -> io::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    raise(SIGUSR1)
}

/// Raises a signal and says whether the interrupted code finds its `errno` unchanged.
fn interrupt(signal: i32) -> io::Result<String> {
    let (allocations, is_kept) = allocations_in(|| keeps_errno(libc::EBADF, signal));
    let kept = if is_kept? { "kept" } else { "changed" };
    Ok(format!("errno is {kept}, allocations: {allocations}"))
}

/// Raises a signal in code that has this `errno`. Returns true if the code still has it afterwards.
pub(super) fn keeps_errno(errno: i32, signal: i32) -> io::Result<bool> {
    // SAFETY: always a valid pointer, to a variable of the calling thread.
    let location = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *location = errno };
    let raised = raise(signal);
    let afterwards = io::Error::last_os_error().raw_os_error();
    raised?;
    Ok(afterwards == Some(errno))
}

trial!(
    signals_in_any_order,
    40,
    "Each signal wakes the loop and is taken once, without a trace in the interrupted code."
);
fn signals_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..12).map(|_| Verb::random(&mut random)).chain([Verb::Turn]));
    let pipe = SelfPipe::new()?;
    let mut signals = listening(&pipe)?;
    for verb in verbs {
        let did = match verb {
            Verb::Raise(signal) => interrupt(signal)?,
            Verb::RaiseInAThread(signal) => {
                let raised = thread::spawn(move || raise(signal)).join();
                anyhow::ensure!(raised.is_ok(), "a thread panicked in raise");
                "done".to_owned()
            }
            Verb::Fill => {
                fill(pipe.waker())?;
                "done".to_owned()
            }
            Verb::Turn => {
                pipe.drain()?;
                let taken = signals.take().collect::<Vec<_>>();
                format!("{taken:?}")
            }
            Verb::Renew => {
                drop(signals);
                pipe.drain()?;
                signals = listening(&pipe)?;
                "done".to_owned()
            }
        };
        say!(t, "{verb}: {did}; the loop's end is {}", readable(&pipe)?);
    }
    drop(signals);
    for signal in program.verbs(if program.number() == 0 { vec![SIGUSR1] } else { vec![] }) {
        let pipe = SelfPipe::new()?;
        let signals = listening(&pipe)?;
        drop(pipe);
        say!(t, "the loop's end is closed; signal {signal}: {}", interrupt(signal)?);
        say!(t, "  the signals that are taken: {:?}", signals.take().collect::<Vec<_>>());
    }
    Ok(())
}
