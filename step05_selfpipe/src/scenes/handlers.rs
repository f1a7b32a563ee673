//! What a signal handler must not do: change `errno`, allocate, lock, or outlive its pipe.

use std::hint::black_box;
use std::io;

use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::allocations::allocations_in;
use super::held::Held;
use super::signals::taken;
use super::waking::{wait, watch};
use kit::Sleeper;
use kit::interruption::{interrupt_me_at, raise_at_the_next};

scene!(
    errno_survives,
    "close(-1) fails, then a signal handler's own write fails. What is in errno afterwards?"
);
/// The pipe is full, so the handler's write fails with `EAGAIN`. The interrupted code looks at
/// `errno` after the handler has returned.
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
    // SAFETY: raise takes an integer and touches no memory of ours.
    let raised = unsafe { libc::raise(SIGUSR1) };
    let error = io::Error::last_os_error();
    anyhow::ensure!(closed == -1 && raised == 0, "close(-1) gave {closed}, raise {raised}");
    say!(t, "close(-1) fails, then SIGUSR1 is handled");
    say!(t, "  signals taken: {}", taken(&signals));
    say!(t, "  errno:         {error}");
    Ok(())
}

scene!(
    handler_allocates_nothing,
    "How many allocations are made between a signal's arrival and its handler's return?"
);
/// This step's program has an allocator that counts its allocations. One `Box` is counted first, to
/// show that it does.
fn handler_allocates_nothing(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let (count, _) = allocations_in(|| black_box(Box::new(1)));
    say!(t, "allocations for a Box:       {count}");
    let (count, raised) = allocations_in(|| raise(SIGUSR1));
    raised?;
    say!(t, "allocations in the handler:  {count}");
    say!(t, "signals taken:               {}", taken(&signals));
    Ok(())
}

scene!(
    signal_inside_the_handler,
    "A second signal arrives in the middle of the first one's handler. Do both handlers return?"
);
/// SIGUSR2 arrives while the handler of SIGUSR1 is in its write, in the same thread. Both signals
/// have the same handler.
fn signal_inside_the_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGUSR2)?;
    raise_at_the_next(SIGUSR2);
    interrupt_me_at(&pipe)?;
    say!(t, "SIGUSR1 arrives, and SIGUSR2 while its handler writes");
    say!(t, "  raise returns: {:?}", raise(SIGUSR1));
    say!(t, "  signals taken: {}", taken(&signals));
    Ok(())
}

scene!(
    flag_comes_before_byte,
    "The handler's byte wakes the loop before its write returns. Is the signal's flag set?"
);
/// The handler is held in its write: the byte is in the pipe, and no further instruction of the
/// handler has run. Meanwhile the loop wakes up and takes the signals.
fn flag_comes_before_byte(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let mut selector = watch(&pipe)?;
    let interrupted = Held::start(pipe, || format!("{:?}", raise(SIGUSR1)))?;
    say!(t, "the loop's select returns:   {}", wait(&mut selector)?);
    say!(t, "the handler, in its write:   {}", interrupted.state());
    say!(t, "the loop takes:              {}", taken(&signals));
    say!(t, "the handler goes on, raise:  {}", interrupted.release()?);
    Ok(())
}

scene!(
    drop_waits_for_the_handler,
    "The loop drops its Signals while a handler is in its write. Which of the two returns first?"
);
/// The handler is held in its write, in one thread. Another thread drops the `Signals` whose
/// descriptor the handler writes to.
fn drop_waits_for_the_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let interrupted = Held::start(pipe, || format!("{:?}", raise(SIGUSR1)))?;
    say!(t, "the handler, in its write:   {}", interrupted.state());
    let dropper = Sleeper::start(move || {
        drop(signals);
        "returned".to_string()
    })?;
    dropper.wait_until_asleep()?;
    let state = if dropper.is_finished() { "returned" } else { "asleep" };
    say!(t, "another thread, in drop:     {state}");
    say!(t, "the handler goes on, raise:  {}", interrupted.release()?);
    say!(t, "the other thread's drop:     {}", dropper.join()?);
    Ok(())
}
