//! Signals that reach the loop through its pipe.

use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGTERM, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::waking::{readiness, wait, watch};
use kit::Sleeper;

/// Takes the signals that have arrived and lists their names.
pub(super) fn taken(signals: &Signals) -> String {
    names(signals.take())
}

/// Lists the names of signals.
pub(crate) fn names(signals: impl Iterator<Item = i32>) -> String {
    let names: Vec<&str> = signals.map(name).collect();
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
    "A signal interrupts one thread while the loop sleeps in another. Does the loop wake up?"
);
/// `the loop wakes up, take:        SIGTERM`: the handler runs in the thread that's interrupted,
/// sets the signal's bit and writes a byte, and the kernel wakes the loop, which sleeps in another
/// thread. `take` returns signals in the order in which they first arrived, and each signal once,
/// because a bit can't count: `SIGUSR2, SIGUSR1 3 times, take:   SIGUSR2, SIGUSR1`.
fn signal_as_data(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGTERM)?;
    say!(t, "no signal yet, take:              {}", taken(&signals));

    let sleeper = Sleeper::start(move || {
        let woken = watch(&pipe).and_then(|mut selector| wait(&mut selector));
        match woken.and_then(|_| pipe.drain()) {
            Ok(_) => taken(&signals),
            Err(error) => error.to_string(),
        }
    })?;
    sleeper.wait_until_asleep()?;
    say!(t, "SIGTERM arrives in another thread, which goes on");
    raise(SIGTERM)?;
    say!(t, "  the loop wakes up, take:        {}", sleeper.join()?);

    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGUSR2)?;
    for signal in [SIGUSR2, SIGUSR1, SIGUSR1, SIGUSR1] {
        raise(signal)?;
    }
    say!(t, "SIGUSR2, SIGUSR1 3 times, take:   {}", taken(&signals));
    say!(t, "  take again:                     {}", taken(&signals));
    Ok(())
}

scene!(
    a_signal_and_a_full_pipe,
    "A signal arrives while the pipe is full, so its byte doesn't fit. Is the signal lost?"
);
/// `drain, then take: SIGUSR1`, although the handler's byte didn't fit. The byte only has to wake
/// the loop, and a full pipe wakes the loop anyway. The signal itself is recorded in an atomic,
/// where each signal has a bit of its own, so there's always room. Had the handler written the
/// signal's number into the pipe instead, the signal would be lost.
fn a_signal_and_a_full_pipe(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let waker = pipe.waker();
    for _ in 0..10_000 {
        waker.wake();
    }
    say!(t, "the pipe is full");
    raise(SIGUSR1)?;
    say!(t, "SIGUSR1 arrives");
    pipe.drain()?;
    say!(t, "  drain, then take: {}", taken(&signals));
    Ok(())
}

scene!(
    signals_while_awake,
    "A busy loop gets one SIGUSR1 and later a thousand. What does take return each time?"
);
/// The handler runs in the loop's own thread while the loop is busy. Then the loop calls select
/// with no timeout, drains the pipe, and takes the signals.
fn signals_while_awake(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;
    say!(t, "the loop is busy, and SIGUSR1 arrives");
    raise(SIGUSR1)?;
    say!(t, "  select returns:   {}", wait(&mut selector)?);
    pipe.drain()?;
    say!(t, "  drain, then take: {}", taken(&signals));
    for _ in 0..1000 {
        raise(SIGUSR1)?;
    }
    say!(t, "SIGUSR1 arrives 1,000 times");
    say!(t, "  select returns:   {}", wait(&mut selector)?);
    pipe.drain()?;
    say!(t, "  drain, then take: {}", taken(&signals));
    say!(t, "  after that:       {}", readiness(&mut selector)?);
    Ok(())
}

scene!(
    signal_in_the_loops_thread,
    "The loop's own thread gets a signal while it sleeps in select. What does that call return, and what does the next call to select return?"
);
/// The loop's thread handles the signal itself, in the middle of its wait. The loop calls select
/// twice with no timeout, drains its pipe, takes the signals, and then checks the pipe once more.
fn signal_in_the_loops_thread(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let looping = Sleeper::start(move || match two_turns(t, &pipe, &signals) {
        Ok(afterwards) => afterwards,
        Err(error) => error.to_string(),
    })?;
    looping.wait_until_asleep()?;
    say!(t, "the loop sleeps, and SIGUSR1 arrives in its own thread");
    looping.interrupt()?;
    say!(t, "  after that:                 {}", looping.join()?);
    Ok(())
}

fn two_turns(t: Transcript, pipe: &SelfPipe, signals: &Signals) -> std::io::Result<String> {
    let mut selector = watch(pipe)?;
    say!(t, "  the first select returns:   {}", wait(&mut selector)?);
    say!(t, "  the second select returns:  {}", wait(&mut selector)?);
    pipe.drain()?;
    say!(t, "  drain, then take:           {}", taken(signals));
    Ok(readiness(&mut selector)?.to_string())
}
