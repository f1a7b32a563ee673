//! Signals that arrive as data.

use std::io;

use step05_selfpipe::{SIGTERM, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};
use workbook::{Transcript, say};

use super::sleeper::Sleeper;
use super::waking::{sleep, watch};

/// The signals that have come, by name.
fn taken(signals: &Signals) -> String {
    let names: Vec<&str> = signals.take().map(name).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

fn name(signal: i32) -> &'static str {
    match signal {
        SIGUSR1 => "SIGUSR1",
        SIGUSR2 => "SIGUSR2",
        SIGTERM => "SIGTERM",
        _ => "another one",
    }
}

/// The kernel interrupts one thread, any one. Its handler notes the signal and writes a byte, and
/// the loop wakes up wherever it sleeps, in ordinary code that may do whatever it likes.
pub(crate) fn signal_as_data(t: &mut Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGTERM)?;
    say!(t, "before:                            {}", taken(&signals));

    let sleeper = Sleeper::start(move || {
        let woken = watch(&pipe).and_then(|mut selector| sleep(&mut selector));
        match woken.and_then(|_| pipe.drain()) {
            Ok(_) => format!("the loop wakes in its thread:      {}", taken(&signals)),
            Err(error) => error.to_string(),
        }
    })?;
    sleeper.wait_until_asleep()?;
    say!(t, "SIGTERM arrives in this thread, and we are still here");
    raise(SIGTERM)?;
    say!(t, "{}", sleeper.join()?);

    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGUSR2)?;
    for signal in [SIGUSR2, SIGUSR1, SIGUSR1, SIGUSR1] {
        raise(signal)?;
    }
    say!(t, "SIGUSR2, and SIGUSR1 three times:  {}", taken(&signals));
    say!(t, "after that:                        {}", taken(&signals));
    Ok(())
}

/// A byte is only a reason to look. What there is to see is an atomic, and has room for all.
pub(crate) fn not_lost_in_a_full_pipe(t: &mut Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let waker = pipe.waker();
    for _ in 0..10_000 {
        waker.wake();
    }
    say!(t, "the pipe is full");
    raise(SIGUSR1)?;
    pipe.drain()?;
    say!(t, "a signal came, the pipe was drained: {}", taken(&signals));
    Ok(())
}

/// The interrupted code may be between a call that failed and its look at `errno`. The handler's
/// own write fails here, on a full pipe, and that must not show.
pub(crate) fn errno_survives(t: &mut Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let waker = pipe.waker();
    for _ in 0..10_000 {
        waker.wake();
    }
    // SAFETY: −1 is never open, so nothing is closed; the call fails with EBADF.
    let closed = unsafe { libc::close(-1) };
    // SAFETY: raise takes a number and touches no memory of ours.
    let raised = unsafe { libc::raise(SIGUSR1) };
    let error = io::Error::last_os_error();
    anyhow::ensure!(closed == -1 && raised == 0, "close(-1) gave {closed}, raise {raised}");
    say!(t, "close(-1) fails, and a signal is handled");
    say!(t, "handled: {}", taken(&signals));
    say!(t, "errno:   {error}");
    Ok(())
}
