//! Signals as data: a handler that notes the signal and wakes the loop, and no more.
//!
//! A handler interrupts the program between any two instructions, perhaps inside `malloc`, with its
//! lock held. So it may do almost nothing: set an atomic, call write(2) and a few others
//! (`signal-safety(7)`), and leave `errno` as it found it. Everything else is done by the loop,
//! when it has been woken and runs ordinary code.
//!
//! Which signals came stands in the atomic, not in the pipe. A full pipe takes no more bytes, and a
//! signal must not be lost for that.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use crate::LoopWaker;
use step01_fd::{CallError, check};

pub use libc::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

/// Signals that came and were not taken yet: signal `n` is bit `n - 1`.
static PENDING: AtomicU64 = AtomicU64::new(0);
/// Where the handler writes its byte; −1 while there is no [`Signals`].
static WAKE_FD: AtomicI32 = AtomicI32::new(NOBODY);
/// How many handlers are running just now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// No descriptor.
const NOBODY: i32 = -1;
/// Errors of the program itself. Returning from their handler would only repeat them.
const SYNCHRONOUS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

// ANCHOR: handler
/// Runs when a signal arrives, between any two instructions of any thread.
///
/// The note comes before the byte: a loop that is woken finds it.
extern "C" fn handler(signal: libc::c_int) {
    let errno = errno();
    RUNNING.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    RUNNING.fetch_sub(1, SeqCst);
    set_errno(errno);
}
// ANCHOR_END: handler

/// The handled signals of this process. There is one at a time, as there is one set of handlers.
/// (asyncio: `loop.add_signal_handler` and `remove_signal_handler`)
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
    /// Keeps the descriptor open that the handler writes to.
    #[expect(dead_code, reason = "held, not used")]
    waker: LoopWaker,
    /// What the handled signals did before, to be put back.
    before: Vec<(libc::c_int, Disposition)>,
}

/// What a signal does when it arrives.
struct Disposition(libc::sigaction);

impl std::fmt::Debug for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Disposition({:#x})", self.0.sa_sigaction)
    }
}

impl Signals {
    /// No signals yet; those that come later wake `waker`. Fails with `AlreadyExists` while there
    /// is another one in the process.
    pub fn new(waker: LoopWaker) -> io::Result<Self> {
        let fd = waker.as_fd().as_raw_fd();
        if WAKE_FD.compare_exchange(NOBODY, fd, SeqCst, SeqCst).is_err() {
            let message = "another loop of this process handles its signals";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        PENDING.store(0, SeqCst);
        Ok(Signals { waker, before: Vec::new() })
    }

    /// Handles `signal` from now on. It no longer does what it did before (SIGINT: end the
    /// process), and system calls go on after it where they can (`SA_RESTART`).
    ///
    /// `InvalidInput` for one that cannot be handled. Adding one twice is no error.
    pub fn add(&mut self, signal: i32) -> io::Result<()> {
        if SYNCHRONOUS.contains(&signal) {
            let message = format!("signal {signal} cannot be data: the program would repeat it");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if self.handles(signal) {
            return Ok(());
        }
        let before = replace(signal, &Disposition::noted())?;
        self.before.push((signal, before));
        Ok(())
    }

    /// Lets `signal` do again what it did before it was added, and tells whether it was. Forgets
    /// it if it has come and was not taken yet.
    pub fn remove(&mut self, signal: i32) -> io::Result<bool> {
        let Some(place) = self.before.iter().position(|(handled, _)| *handled == signal) else {
            return Ok(false);
        };
        let (_, before) = self.before.swap_remove(place);
        replace(signal, &before)?;
        PENDING.fetch_and(!bit(signal), SeqCst);
        Ok(true)
    }

    /// Takes the signals that have come since the last time, lowest number first. One that came
    /// several times is there once, as with the kernel's own pending signals.
    ///
    /// Drain the self-pipe first: a signal that comes in between leaves its byte for the next turn.
    pub fn take(&self) -> impl Iterator<Item = i32> + use<> {
        let pending = PENDING.swap(0, SeqCst);
        (1..=64).filter(move |&signal| pending & bit(signal) != 0)
    }

    fn handles(&self, signal: i32) -> bool {
        self.before.iter().any(|(handled, _)| *handled == signal)
    }
}

impl Drop for Signals {
    /// Puts everything back, then waits for handlers that other threads are running, so that none
    /// writes to a descriptor that is closed.
    fn drop(&mut self) {
        for (signal, before) in self.before.drain(..) {
            // It could be replaced once, so it can be put back; and drop has nobody to tell.
            let _ = replace(signal, &before);
        }
        WAKE_FD.store(NOBODY, SeqCst);
        while RUNNING.load(SeqCst) > 0 {
            // A handler cannot wake anybody but by a descriptor, and is done in no time.
            std::thread::sleep(Duration::from_millis(1));
        }
        PENDING.store(0, SeqCst);
    }
}

impl Disposition {
    /// Calls [`handler`].
    fn noted() -> Self {
        // SAFETY: all zeros is a valid sigaction: default action, no flags, no signals blocked.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        action.sa_sigaction = handler as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        Disposition(action)
    }
}

/// sigaction(2): sets what `signal` does and returns what it did before.
fn replace(signal: i32, new: &Disposition) -> io::Result<Disposition> {
    let mut old = MaybeUninit::uninit();
    // SAFETY: `new` is a valid sigaction whose handler only does what signal-safety(7) allows, and
    // `old` has room for one.
    let done = unsafe { libc::sigaction(signal, ptr::from_ref(&new.0), old.as_mut_ptr()) };
    check(done, || format!("sigaction signal {signal}"))?;
    // SAFETY: sigaction succeeded, so it has filled `old`.
    Ok(Disposition(unsafe { old.assume_init() }))
}

/// Sends `signal` to the calling thread and returns when it was handled. See `raise(3)`.
pub fn raise(signal: i32) -> io::Result<()> {
    // SAFETY: raise takes a number and touches no memory of ours.
    if unsafe { libc::raise(signal) } != 0 {
        let reason = io::Error::last_os_error();
        return Err(CallError::wrap(format!("raise signal {signal}"), reason));
    }
    Ok(())
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// write(2) as a handler may call it: no retry, no error, nothing allocated.
fn write_byte(fd: i32) {
    // SAFETY: the kernel reads one byte from a static one; a number that is not open is refused.
    let _ = unsafe { libc::write(fd, ptr::from_ref(&0_u8).cast(), 1) };
}

fn errno() -> i32 {
    // SAFETY: always a valid pointer, to a variable of the calling thread alone.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place }
}

fn set_errno(errno: i32) {
    // SAFETY: always a valid pointer, to a variable of the calling thread alone.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place = errno }
}
