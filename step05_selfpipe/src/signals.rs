//! Signals as data: a handler that only sets a flag and wakes the loop.
//!
//! A handler interrupts the program between any two instructions, perhaps inside `malloc`, while
//! `malloc` holds its lock. So a handler can't do much: it can set an atomic and call write(2) and
//! the other functions that `signal-safety(7)` lists. It also has to preserve `errno`. The loop
//! does the rest, in ordinary code, once it's awake.
//!
//! The flags are kept in an atomic and not in the pipe, because a full pipe takes no more bytes,
//! and a signal that arrives while the pipe is full mustn't be lost.
//!
//! Why `SeqCst`: the handler and `drop` each write one of two atomics and read the other. At least
//! one of the two functions has to see the other's write, or the handler can write to a closed
//! descriptor. Under Acquire and Release each could miss the other's write; `SeqCst` puts all four
//! operations in one total order, which rules that out. Signals are rare, so the other atomics can
//! afford `SeqCst`, too.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use crate::LoopWaker;
use step01_fd::{CallError, check};

pub use libc::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

// ANCHOR: statics
/// The signals that have arrived and haven't been taken: signal `n` is bit `n - 1`.
static PENDING: AtomicU64 = AtomicU64::new(0);
/// The descriptor that the handler writes to; `NO_FD` while there's no [`Signals`].
static WAKE_FD: AtomicI32 = AtomicI32::new(NO_FD);
/// The number of running handlers, in all threads, that might be using the descriptor from
/// `WAKE_FD`.
static HANDLERS_IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);
// ANCHOR_END: statics

/// The number of each pending signal's first arrival, or 0 if none is recorded: signal `n` is at
/// `n - 1`. Only the order of the signals depends on these numbers.
static ARRIVALS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
/// The number of the next arrival.
static NEXT_ARRIVAL: AtomicU64 = AtomicU64::new(1);

/// A number that's no descriptor, so write(2) refuses it (`EBADF`).
const NO_FD: i32 = -1;
/// Another number that's no descriptor, used while a [`Signals`] is being dropped.
const NO_LONGER_AN_FD: i32 = -2;
/// The signals with which the kernel reports an error in the running code. A handler would return
/// to the failing instruction and so repeat the error.
const SYNCHRONOUS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

// ANCHOR: handler
/// Runs when a signal arrives, between any two instructions of any thread that doesn't block the
/// signal. Another signal can even interrupt the handler itself.
///
/// No signal is lost: wherever a signal arrives, the loop finds the signal's flag, and a byte wakes
/// the loop. Writing this byte is the handler's only system call; the handler takes no lock and
/// allocates nothing. The interrupted code finds its `errno` unchanged. Once the [`Signals`] has
/// been dropped, no handler writes to the pipe any more, even if many handlers were running in many
/// threads.
extern "C" fn handler(signal: libc::c_int) {
    let errno = errno();
    // Before the descriptor is loaded: from here on `drop` waits for us.
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
}
// ANCHOR_END: handler

/// Runs first when a signal arrives: records the arrival's number, by which [`Signals::take`]
/// sorts, and leaves the rest to [`handler`].
extern "C" fn on_arrival(signal: libc::c_int) {
    let number = NEXT_ARRIVAL.fetch_add(1, SeqCst);
    // This fails only if an earlier arrival is already recorded; only the first arrival counts.
    let _ = arrival(signal).compare_exchange(0, number, SeqCst, SeqCst);
    handler(signal);
}

/// The handled signals of this process; asyncio's `loop.add_signal_handler` and
/// `remove_signal_handler`. Only one `Signals` exists at a time, since a process has one set of
/// handlers.
///
/// ```
/// use step05_selfpipe::{SIGUSR1, SelfPipe, Signals, raise};
/// let pipe = SelfPipe::new()?;
/// let mut signals = Signals::new(pipe.waker())?;
/// signals.add(SIGUSR1)?;
/// raise(SIGUSR1)?;
/// assert!(pipe.drain()? > 0);
/// assert_eq!(signals.take().collect::<Vec<_>>(), [SIGUSR1]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Signals {
    /// Keeps open the descriptor that the handler writes to.
    #[expect(dead_code, reason = "only its drop matters")]
    waker: LoopWaker,
    /// The previous dispositions of the handled signals, for restoring them.
    before: Vec<(libc::c_int, Disposition)>,
}

/// The action of a signal, as `sigaction(2)` sets it.
struct Disposition(libc::sigaction);

impl std::fmt::Debug for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Disposition({:#x})", self.0.sa_sigaction)
    }
}

impl Signals {
    /// Makes a `Signals` that handles no signal yet. Each signal that you add will wake the loop of
    /// `waker`.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if the process already has a `Signals`.
    pub fn new(waker: LoopWaker) -> io::Result<Self> {
        let fd = waker.as_fd().as_raw_fd();
        if WAKE_FD.compare_exchange(NO_FD, fd, SeqCst, SeqCst).is_err() {
            let message = "another loop of this process handles its signals";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        PENDING.store(0, SeqCst);
        for arrival in &ARRIVALS {
            arrival.store(0, SeqCst);
        }
        Ok(Signals { waker, before: Vec::new() })
    }

    /// Handles `signal` from now on, which replaces its previous action (by default, SIGINT ends
    /// the process). The kernel restarts a system call that the signal interrupts (`SA_RESTART`),
    /// unless the call isn't restartable: `epoll_wait` fails with `EINTR`. See `signal(7)`.
    ///
    /// Does nothing if `signal` has already been added.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidInput` if `signal` can't be handled.
    pub fn add(&mut self, signal: i32) -> io::Result<()> {
        if SYNCHRONOUS.contains(&signal) {
            let message = format!("add signal {signal}: its handler would return to the error");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if self.handles(signal) {
            return Ok(());
        }
        let before = replace(signal, &Disposition::handled())?;
        self.before.push((signal, before));
        Ok(())
    }

    /// Restores the previous action of `signal` and clears its flag. Returns false if `signal`
    /// wasn't added.
    ///
    /// # Errors
    ///
    /// Fails if the kernel no longer accepts the previous action.
    pub fn remove(&mut self, signal: i32) -> io::Result<bool> {
        let Some(index) = self.before.iter().position(|(handled, _)| *handled == signal) else {
            return Ok(false);
        };
        let (_, before) = self.before.swap_remove(index);
        replace(signal, &before)?;
        PENDING.fetch_and(!bit(signal), SeqCst);
        arrival(signal).store(0, SeqCst);
        Ok(true)
    }

    /// Takes the signals that have arrived since the last call, in the order in which they first
    /// arrived; a signal that arrived again during the last call may come last. A signal that has
    /// arrived several times is returned once; the kernel merges pending standard signals in the
    /// same way.
    ///
    /// Drain the self-pipe first: a signal that arrives between the drain and `take` then leaves
    /// its byte in the pipe, which wakes the loop once more.
    pub fn take(&self) -> impl Iterator<Item = i32> + use<> {
        let pending = PENDING.swap(0, SeqCst);
        let mut arrived = [(0, 0); 64];
        let mut count = 0;
        for signal in (1..=64).filter(|&signal| pending & bit(signal) != 0) {
            // A signal that arrived again during the last `take` may lack a number: it sorts last.
            let number = arrival(signal).swap(0, SeqCst).wrapping_sub(1);
            arrived[count] = (number, signal);
            count += 1;
        }
        arrived[..count].sort_unstable();
        arrived.into_iter().take(count).map(|(_, signal)| signal)
    }

    /// Returns true if a signal has arrived since the last [`take`](Signals::take).
    pub fn has_arrived(&self) -> bool {
        PENDING.load(SeqCst) != 0
    }

    fn handles(&self, signal: i32) -> bool {
        self.before.iter().any(|(handled, _)| *handled == signal)
    }
}

impl Drop for Signals {
    /// Restores the previous actions, then waits until no handler in another thread can be using
    /// the descriptor, so that no handler writes to it once it's closed.
    fn drop(&mut self) {
        for (signal, before) in self.before.drain(..) {
            // Replacing this action succeeded, so restoring it should; a drop can't return errors.
            let _ = replace(signal, &before);
        }
        WAKE_FD.store(NO_LONGER_AN_FD, SeqCst);
        while HANDLERS_IN_FLIGHT.load(SeqCst) > 0 {
            // Polling is good enough: a handler finishes within microseconds, and signalling its
            // end would need a semaphore or another pipe.
            std::thread::sleep(Duration::from_millis(1));
        }
        PENDING.store(0, SeqCst);
        // Last: from here on, another `Signals` can be made and will own the flags.
        WAKE_FD.store(NO_FD, SeqCst);
    }
}

impl Disposition {
    /// Makes the disposition that calls [`on_arrival`].
    fn handled() -> Self {
        // SAFETY: all zeros is a valid sigaction: default action, no flags, no signals blocked.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        action.sa_sigaction = on_arrival as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        Disposition(action)
    }
}

/// Replaces the disposition of `signal` and returns the previous one. See `sigaction(2)`.
fn replace(signal: i32, new: &Disposition) -> io::Result<Disposition> {
    let mut old = MaybeUninit::uninit();
    // SAFETY: `new` is a valid sigaction: either one that sigaction returned, or ours, whose
    // handler takes no lock, allocates nothing, and makes one call, which signal-safety(7) lists.
    // `old` has room for a sigaction.
    let done = unsafe { libc::sigaction(signal, ptr::from_ref(&new.0), old.as_mut_ptr()) };
    check(done, || format!("sigaction signal {signal}"))?;
    // SAFETY: sigaction succeeded, so it has filled `old`.
    Ok(Disposition(unsafe { old.assume_init() }))
}

/// Returns true if a handled signal has arrived and hasn't been taken. The function makes no system
/// call, so a busy loop can call it often.
#[inline]
pub fn signal_is_pending() -> bool {
    PENDING.load(SeqCst) != 0
}

/// Returns true if `signal` has its default action, that is, if neither a handler nor `SIG_IGN` is
/// set. A program can inherit an ignored signal: a shell that runs a script starts the script's
/// background programs with SIGINT ignored.
///
/// # Errors
///
/// Fails with `InvalidInput` if there's no such signal.
pub fn has_default_action(signal: i32) -> io::Result<bool> {
    let mut action = MaybeUninit::uninit();
    // SAFETY: without a new action, sigaction changes nothing; `action` has room for a sigaction.
    let done = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    check(done, || format!("sigaction signal {signal}"))?;
    // SAFETY: sigaction succeeded, so it has filled `action`.
    let action: libc::sigaction = unsafe { action.assume_init() };
    Ok(action.sa_sigaction == libc::SIG_DFL)
}

/// Sends `signal` to the calling thread. If the signal has a handler and isn't blocked, `raise`
/// returns only after the handler has returned. See `raise(3)`.
///
/// # Errors
///
/// Fails with `InvalidInput` if there's no such signal.
pub fn raise(signal: i32) -> io::Result<()> {
    // SAFETY: raise takes an integer and touches no memory of ours.
    if unsafe { libc::raise(signal) } != 0 {
        let reason = io::Error::last_os_error();
        return Err(CallError::wrap(format!("raise signal {signal}"), reason));
    }
    Ok(())
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

fn arrival(signal: i32) -> &'static AtomicU64 {
    // A signal's number is between 1 and 64.
    &ARRIVALS[(signal - 1).unsigned_abs() as usize]
}

/// Calls write(2) in a way that's safe in a handler: it makes one attempt, allocates nothing and
/// ignores the outcome.
fn write_byte(fd: i32) {
    // SAFETY: the kernel reads one static byte and refuses a descriptor that isn't open.
    let _ = unsafe { libc::write(fd, ptr::from_ref(&0_u8).cast(), 1) };
}

fn errno() -> i32 {
    // SAFETY: always a valid pointer, to a variable of the calling thread.
    let location = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *location }
}

fn set_errno(errno: i32) {
    // SAFETY: always a valid pointer, to a variable of the calling thread.
    let location = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *location = errno }
}
