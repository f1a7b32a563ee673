//! Stops a thread in the middle of a system call, on purpose.
//!
//! The outcome of a race between two threads depends on exactly where one thread is when the other
//! acts, and a scene can't leave the outcome to chance. `O_ASYNC` helps: the kernel sends a signal
//! when a descriptor becomes ready. If the thread that made the descriptor ready also receives the
//! signal, the signal arrives while that thread's own call is returning, and a handler can hold the
//! thread there for as long as we like. See `fcntl(2)`, `F_SETOWN_EX`.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use crate::check::check;

/// The number of this fcntl command, which is the same on every Linux system. Some C libraries'
/// headers don't define it.
const F_SETOWN_EX: libc::c_int = 15;
const F_OWNER_TID: libc::c_int = 0;

const NO_GATE: i32 = -1;
/// The gate at which the next interrupted thread will wait.
static GATE: AtomicI32 = AtomicI32::new(NO_GATE);
/// The signal that the next interrupted thread will send itself.
static RAISE: AtomicI32 = AtomicI32::new(0);

/// A gate that holds a thread until the gate is opened.
#[derive(Debug)]
pub struct Gate {
    inside: PipeReader,
    outside: PipeWriter,
}

impl Gate {
    /// Creates a gate for the next interrupted thread.
    pub fn for_the_next() -> io::Result<Self> {
        let (inside, outside) = io::pipe()?;
        GATE.store(inside.as_raw_fd(), SeqCst);
        Ok(Gate { inside, outside })
    }

    /// Returns true once a thread has reached the gate, even if the thread has since passed it.
    /// Works only for the most recent gate.
    pub fn holds_a_thread(&self) -> bool {
        GATE.load(SeqCst) != self.inside.as_raw_fd()
    }

    /// Opens the gate, so that the thread continues.
    pub fn open(&self) -> io::Result<()> {
        (&self.outside).write_all(&[0])
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = GATE.compare_exchange(self.inside.as_raw_fd(), NO_GATE, SeqCst, SeqCst);
    }
}

/// Makes the next interrupted thread send itself `signal`.
pub fn raise_at_the_next(signal: i32) {
    RAISE.store(signal, SeqCst);
}

/// Interrupts this thread with SIGIO whenever `fd` becomes ready. If one of the thread's own calls
/// makes `fd` ready, the signal interrupts that call. Also makes `fd` non-blocking.
pub fn interrupt_me_at(fd: impl AsFd) -> io::Result<()> {
    handle_sigio()?;
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: gettid takes nothing and touches no memory of ours.
    let me = unsafe { libc::gettid() };
    let owner = [F_OWNER_TID, me];
    // SAFETY: F_SETOWN_EX reads an f_owner_ex, which is two ints, and `owner` is two ints.
    let set = unsafe { libc::fcntl(fd, F_SETOWN_EX, owner.as_ptr()) };
    check(set, "fcntl F_SETOWN_EX")?;
    // SAFETY: F_SETFL takes a number and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK | libc::O_ASYNC) };
    check(set, "fcntl F_SETFL O_ASYNC")?;
    Ok(())
}

fn handle_sigio() -> io::Result<()> {
    // SAFETY: all zeros is a valid sigaction: default action, no flags, no signals blocked.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = interrupted as extern "C" fn(libc::c_int) as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the action is valid, and its handler makes calls that signal-safety(7) allows.
    let set = unsafe { libc::sigaction(libc::SIGIO, &raw const action, ptr::null_mut()) };
    check(set, "sigaction SIGIO")?;
    Ok(())
}

/// Handles SIGIO in the middle of the interrupted call. Each gate and each signal to raise is used
/// only once.
extern "C" fn interrupted(_: libc::c_int) {
    let gate = GATE.swap(NO_GATE, SeqCst);
    if gate != NO_GATE {
        // SAFETY: the kernel writes at most one byte, and the buffer is one byte of our own.
        unsafe { libc::read(gate, ptr::from_mut(&mut 0_u8).cast(), 1) };
    }
    let signal = RAISE.swap(0, SeqCst);
    if signal != 0 {
        // SAFETY: raise takes a number and touches no memory of ours.
        unsafe { libc::raise(signal) };
    }
}
