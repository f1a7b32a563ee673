//! Mistakes that a signal handler can make: changing `errno`, allocating, locking, outliving its
//! pipe.

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
    errno_after_a_handler,
    "close(-1) fails, and then a signal handler's own write fails. What's in errno after that?"
);
/// `errno:         Bad file descriptor (os error 9)` is the error of `close(-1)`. The handler ran
/// after that, and its own `write` failed with `EAGAIN`, because the pipe was full. The interrupted
/// code knows nothing about the handler, so it would have mistaken that error for its own. That's
/// why the handler saves `errno` before it does anything else and restores `errno` at the end.
fn errno_after_a_handler(t: Transcript) -> anyhow::Result<()> {
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
    say!(t, "  errno:         {}", error);
    Ok(())
}

scene!(
    allocations_of_a_handler,
    "How many allocations are made between a signal's arrival and its handler's return?"
);
/// `allocations in the handler:  0`: a signal can interrupt a thread in the middle of `malloc`,
/// while the thread holds the allocator's lock. If the handler allocated, it would wait for a lock
/// that only the interrupted code can release. So the handler sets a bit in an atomic, makes one
/// `write`, which `signal-safety(7)` allows, and leaves the rest to the loop.
fn allocations_of_a_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    let (count, _) = allocations_in(|| black_box(Box::new(1)));
    say!(t, "allocations for a Box:       {}", count);
    let (count, raised) = allocations_in(|| raise(SIGUSR1));
    raised?;
    say!(t, "allocations in the handler:  {}", count);
    say!(t, "signals taken:               {}", taken(&signals));
    Ok(())
}

scene!(
    signal_inside_the_handler,
    "A second signal arrives in the middle of the first one's handler. Do both handlers return?"
);
/// `raise returns: Ok(())`, so both handlers have returned, although SIGUSR2's handler ran in the
/// middle of SIGUSR1's, in the same thread. With a lock, the inner handler would wait forever for
/// the outer one. An atomic `fetch_or` needs no lock and sets its bit in one step, so neither
/// handler can undo the other handler's bit: `signals taken: SIGUSR1, SIGUSR2`.
fn signal_inside_the_handler(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut signals = Signals::new(pipe.waker())?;
    signals.add(SIGUSR1)?;
    signals.add(SIGUSR2)?;
    raise_at_the_next(SIGUSR2);
    interrupt_me_at(&pipe)?;
    say!(t, "SIGUSR1 arrives; SIGUSR2 arrives while SIGUSR1's handler writes");
    say!(t, "  raise returns: {:?}", raise(SIGUSR1));
    say!(t, "  signals taken: {}", taken(&signals));
    Ok(())
}

scene!(
    the_flag_and_the_byte,
    "A handler's byte wakes the loop before the handler's write returns. Is the signal's flag set by then?"
);
/// `the loop takes:              SIGUSR1`, while the handler is still in its write and can't do
/// anything else. So the flag must have been set before the byte was written. In the other order,
/// the byte could wake the loop before the flag is set. The loop would take nothing and go back to
/// sleep, with the signal's only byte already drained: a lost wake-up.
fn the_flag_and_the_byte(t: Transcript) -> anyhow::Result<()> {
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
    dropped_during_the_handler,
    "A thread drops the Signals while a handler is in its write. Which returns first, the drop or the \
     handler?"
);
/// `another thread, in drop:     asleep`: the handler has loaded the descriptor's number and is in
/// its write. If `drop` closed the pair now, another `open` could get the number, and the byte of a
/// late handler would end up in the wrong file. So each handler counts itself while it runs, and
/// `drop` waits until no handler is left: `the other thread's drop:     returned`.
fn dropped_during_the_handler(t: Transcript) -> anyhow::Result<()> {
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
    say!(t, "another thread, in drop:     {}", state);
    say!(t, "the handler goes on, raise:  {}", interrupted.release()?);
    say!(t, "the other thread's drop:     {}", dropper.join()?);
    Ok(())
}
