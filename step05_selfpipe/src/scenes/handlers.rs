//! What a handler may do, and what it must not.

use std::hint::black_box;
use std::io;

use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::allocations::allocations_in;
use super::signals::taken;
use super::waking::{sleep, watch};
use kit::Sleeper;
use kit::interruption::{Gate, interrupt_me_at, raise_at_the_next};

scene!(
    errno_survives,
    "A call fails, and a handler runs before anybody looks at errno. What does it say?"
);
/// The interrupted code may be between a call that failed and its look at `errno`. The handler's
/// own write fails here, on a full pipe, and that must not show.
fn errno_survives(t: Transcript) -> anyhow::Result<()> {
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

scene!(
    handler_allocates_nothing,
    "How many allocations does a signal cost, from its arrival to its handler's end?"
);
/// The code that a handler interrupts may be inside the allocator, with its lock held. A handler
/// that allocates then waits for ever for the very code that it keeps from going on.
fn handler_allocates_nothing(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let (count, _) = allocations_in(|| black_box(Box::new(1)));
    say!(t, "allocations for a box:        {count}");
    let (count, raised) = allocations_in(|| raise(SIGUSR1));
    raised?;
    say!(t, "allocations in the handler:   {count}");
    say!(t, "and yet it noted the signal:  {}", taken(&signals));
    Ok(())
}

scene!(
    signal_inside_the_handler,
    "A second signal comes in the middle of the first's handler. Who waits for whom?"
);
/// A handler can be interrupted like any other code, by the same handler for another signal. If it
/// holds a lock at that moment, the second one waits for the first, and the first for the second.
fn signal_inside_the_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGUSR2)?;
    raise_at_the_next(SIGUSR2);
    interrupt_me_at(&pipe)?;
    say!(t, "SIGUSR1 comes; SIGUSR2 will, while its handler writes the byte");
    raise(SIGUSR1)?;
    say!(t, "both handlers have come back, and noted: {}", taken(&signals));
    Ok(())
}

scene!(
    flag_comes_before_byte,
    "The loop looks while the handler is still in its write. Does it find the signal?"
);
/// The handler is held in the middle of its write: the byte is in the pipe, and the loop looks.
fn flag_comes_before_byte(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;
    let gate = Gate::for_the_next()?;
    let interrupted = Sleeper::start(move || match interrupt_me_at(&pipe) {
        Ok(()) => format!("the handler goes on:      {:?}", raise(SIGUSR1)),
        Err(error) => error.to_string(),
    })?;
    say!(t, "the loop wakes up:        {} ready", sleep(&mut selector)?);
    interrupted.wait_until_asleep()?;
    say!(t, "the handler is held:      {}", gate.holds_somebody());
    say!(t, "it looks, and there is:   {}", taken(&signals));
    gate.open()?;
    say!(t, "{}", interrupted.join()?);
    Ok(())
}

scene!(
    drop_waits_for_the_handler,
    "The loop ends while a handler is about to write to it. To whom does it write?"
);
/// Another thread may be in the handler when the loop ends, with the number of a descriptor in its
/// hands that is about to be closed. So the end waits until no handler runs.
fn drop_waits_for_the_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let gate = Gate::for_the_next()?;
    let interrupted = Sleeper::start(move || match interrupt_me_at(&pipe) {
        Ok(()) => format!("the handler goes on:      {:?}", raise(SIGUSR1)),
        Err(error) => error.to_string(),
    })?;
    interrupted.wait_until_asleep()?;
    say!(t, "the handler is held:      {}", gate.holds_somebody());
    say!(t, "the signals are dropped, in another thread");
    let dropper = Sleeper::start(move || {
        drop(signals);
        "the drop is done".to_string()
    })?;
    dropper.wait_until_asleep()?;
    say!(t, "that thread waits:        {}", !dropper.is_finished());
    gate.open()?;
    say!(t, "{}", interrupted.join()?);
    say!(t, "{}", dropper.join()?);
    Ok(())
}
