//! Signals that arrive as data.

use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGTERM, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::waking::{is_readable, sleep, watch};
use kit::Sleeper;

/// The signals that have come, by name.
pub(super) fn taken(signals: &Signals) -> String {
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

scene!(
    signal_as_data,
    "A signal arrives in one thread, and the loop sleeps in another. Who hears of it?"
);
/// The kernel interrupts one thread, any one. Its handler notes the signal and writes a byte, and
/// the loop wakes up wherever it sleeps, in ordinary code that may do whatever it likes.
fn signal_as_data(t: Transcript) -> anyhow::Result<()> {
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

scene!(
    signal_survives_a_full_pipe,
    "The pipe is full when a signal comes, so its byte finds no room. Is it lost?"
);
/// A byte is only a reason to look. What there is to see is an atomic, and has room for all.
fn signal_survives_a_full_pipe(t: Transcript) -> anyhow::Result<()> {
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

scene!(
    signals_while_awake,
    "A signal comes while the loop is busy; then a thousand of one kind. What is taken?"
);
/// The handler runs between two instructions of a busy loop. Nothing is torn from the loop's hands:
/// it looks when it has come to its next wait, which returns at once.
fn signals_while_awake(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;
    say!(t, "the loop is busy; a signal comes, and the handler runs");
    raise(SIGUSR1)?;
    say!(t, "the loop goes to sleep:       {} ready at once", sleep(&mut selector)?);
    pipe.drain()?;
    say!(t, "drained, and taken:           {}", taken(&signals));
    for _ in 0..1000 {
        raise(SIGUSR1)?;
    }
    say!(t, "a thousand of one kind come:  {} ready at once", sleep(&mut selector)?);
    pipe.drain()?;
    say!(t, "drained, and taken:           {}", taken(&signals));
    say!(t, "anything left:                {}", is_readable(&mut selector)?);
    Ok(())
}
