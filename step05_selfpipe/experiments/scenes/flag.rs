//! A loop that relies on a flag, and the moment at which a signal comes too late for the loop.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, write};
use step05_selfpipe::{SIGUSR1, raise};

use super::waking::{wait, watch};
use kit::Sleeper;

/// The flag that the handler sets and the loop checks before it waits.
static FLAG: AtomicBool = AtomicBool::new(false);

extern "C" fn set_the_flag(_signal: libc::c_int) {
    FLAG.store(true, SeqCst);
}

/// Makes the handler run when SIGUSR1 arrives.
fn handle_sigusr1() -> io::Result<()> {
    let handler = set_the_flag as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only stores an atomic: it calls nothing and takes no lock.
    let before = unsafe { libc::signal(libc::SIGUSR1, handler) };
    if before == libc::SIG_ERR { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Takes one turn of a loop. Calls `in_the_gap` between the check and the wait.
fn one_turn(watched: impl AsFd, in_the_gap: impl FnOnce() -> io::Result<()>) -> io::Result<String> {
    let mut selector = watch(&watched)?;
    if FLAG.swap(false, SeqCst) {
        return Ok("the check finds the flag, so there's no wait".to_string());
    }
    in_the_gap()?;
    let events = wait(&mut selector)?;
    Ok(format!("select returns {events}, the flag is {}", FLAG.swap(false, SeqCst)))
}

scene!(
    a_flag_alone,
    "A handler sets a flag, and the loop checks the flag before each wait. Is a signal ever missed?"
);
/// `between the two:   the loop is asleep, the flag is true`: the handler ran after the check and
/// returned before the wait began. So no signal was left to interrupt the wait, and the kernel
/// doesn't watch your variables. The loop sleeps until another event ends its wait, here a byte. A
/// second check wouldn't help, since the wait would still begin after it. A signal during the wait
/// does no harm, because it ends the wait.
fn a_flag_alone(t: Transcript) -> anyhow::Result<()> {
    handle_sigusr1()?;
    let (reader, writer) = pipe()?;
    raise(SIGUSR1)?;
    say!(t, "before the check:  {}", one_turn(&reader, || Ok(()))?);

    let watched = reader.try_clone()?;
    let looping = Sleeper::start(move || told(one_turn(watched, || Ok(()))))?;
    looping.wait_until_asleep()?;
    say!(t, "during the wait:   {}", looping.interrupted()?);

    let looping = Sleeper::start(move || told(one_turn(reader, || raise(SIGUSR1))))?;
    looping.wait_until_asleep()?;
    let state = if looping.is_finished() { "awake" } else { "asleep" };
    say!(t, "between the two:   the loop is {}, the flag is {}", state, FLAG.load(SeqCst));
    write(&writer, b"x")?;
    say!(t, "  a byte arrives:  {}", looping.join()?);
    Ok(())
}

fn told(outcome: io::Result<String>) -> String {
    outcome.unwrap_or_else(|error| error.to_string())
}

scene!(
    the_gap_and_epoll_pwait,
    "A signal that's blocked except during the wait arrives just before the wait. Does the wait return?"
);
/// `SIGUSR1 arrives:      the flag is false`: while a signal is blocked, its handler doesn't run,
/// and the signal stays pending. `epoll_pwait` unblocks it and goes to sleep in a single step, so
/// there's no gap in which the signal could be missed. The kernel finds the signal pending, runs
/// the handler, and ends the wait with `EINTR` instead of sleeping:
/// `epoll_pwait returns:  Err(Interrupted), the flag is true`.
fn the_gap_and_epoll_pwait(t: Transcript) -> anyhow::Result<()> {
    handle_sigusr1()?;
    let (reader, _writer) = pipe()?;
    let selector = watch(&reader)?;
    let unblocked = block_sigusr1()?;
    say!(t, "SIGUSR1 is blocked:   the flag is {}", FLAG.load(SeqCst));
    raise(SIGUSR1)?;
    say!(t, "SIGUSR1 arrives:      the flag is {}", FLAG.load(SeqCst));
    let outcome = epoll_pwait(&selector, &unblocked).map_err(|error| error.kind());
    say!(t, "epoll_pwait returns:  {:?}, the flag is {}", outcome, FLAG.load(SeqCst));
    Ok(())
}

/// Blocks SIGUSR1 in the calling thread and returns the thread's previous signal mask.
fn block_sigusr1() -> io::Result<libc::sigset_t> {
    // SAFETY: all zeros is a valid set of signals.
    let (mut set, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a set of signals, and SIGUSR1 is a signal.
    check(unsafe { libc::sigaddset(&raw mut set, SIGUSR1) }, || "sigaddset".to_string())?;
    // SAFETY: the kernel reads one set and writes the other.
    let error = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before) };
    if error == 0 { Ok(before) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// Waits with no timeout, and with `mask` as the signal mask during the wait.
fn epoll_pwait(epoll: &impl AsFd, mask: &libc::sigset_t) -> io::Result<libc::c_int> {
    let mut event = libc::epoll_event { events: 0, u64: 0 };
    let (epoll, mask) = (epoll.as_fd().as_raw_fd(), ptr::from_ref(mask));
    // SAFETY: the kernel writes one event at most and reads one set of signals.
    match unsafe { libc::epoll_pwait(epoll, &raw mut event, 1, -1, mask) } {
        -1 => Err(io::Error::last_os_error()),
        events => Ok(events),
    }
}
