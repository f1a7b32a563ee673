//! Stopping a thread in the middle of a system call, on purpose.
//!
//! What two threads do to each other depends on where exactly the one is when the other moves, and
//! no scene may leave that to luck. `O_ASYNC` helps: the kernel sends a signal when something
//! happens to a descriptor. If the thread that makes it happen is the one to be told, its signal
//! arrives while its own call is returning. There a handler can hold it, for as long as we like.
//! See `fcntl(2)`, `F_SETOWN_EX`.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use rustix::io::write;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::check::check;

/// Not in every C library's headers, and the same on all of Linux.
const F_SETOWN_EX: libc::c_int = 15;
const F_OWNER_TID: libc::c_int = 0;

const NOBODY: i32 = -1;
/// The gate at which the next interrupted thread waits.
static GATE: AtomicI32 = AtomicI32::new(NOBODY);
/// The signal that the next interrupted thread sends itself.
static RAISE: AtomicI32 = AtomicI32::new(0);

/// A gate at which a thread is held, until it is opened.
#[derive(Debug)]
pub struct Gate {
    inside: OwnedFd,
    outside: OwnedFd,
}

impl Gate {
    /// The next thread that is interrupted waits here.
    pub fn for_the_next() -> io::Result<Self> {
        let (inside, outside) = pipe_with(PipeFlags::CLOEXEC)?;
        GATE.store(inside.as_raw_fd(), SeqCst);
        Ok(Gate { inside, outside })
    }

    /// Whether a thread has come to it.
    pub fn holds_somebody(&self) -> bool {
        GATE.load(SeqCst) != self.inside.as_raw_fd()
    }

    /// Lets it go on.
    pub fn open(&self) -> io::Result<()> {
        write(&self.outside, &[0])?;
        Ok(())
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = GATE.compare_exchange(self.inside.as_raw_fd(), NOBODY, SeqCst, SeqCst);
    }
}

/// The next thread that is interrupted sends itself `signal`.
pub fn raise_at_the_next(signal: i32) {
    RAISE.store(signal, SeqCst);
}

/// Interrupts the calling thread in the middle of the call with which it makes `fd` ready.
pub fn interrupt_me_at(fd: impl AsFd) -> io::Result<()> {
    handle_sigio()?;
    let number = fd.as_fd().as_raw_fd();
    // SAFETY: gettid takes nothing and touches no memory of ours.
    let me = unsafe { libc::gettid() };
    let owner = [F_OWNER_TID, me];
    // SAFETY: F_SETOWN_EX reads an f_owner_ex, which is two ints, and `owner` is that.
    let set = unsafe { libc::fcntl(number, F_SETOWN_EX, owner.as_ptr()) };
    check(set, "fcntl F_SETOWN_EX")?;
    // SAFETY: F_SETFL takes a number and touches no memory of ours.
    let set = unsafe { libc::fcntl(number, libc::F_SETFL, libc::O_NONBLOCK | libc::O_ASYNC) };
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

/// Runs in the middle of the call. Each order is carried out once.
extern "C" fn interrupted(_: libc::c_int) {
    let gate = GATE.swap(NOBODY, SeqCst);
    if gate != NOBODY {
        // SAFETY: the kernel writes one byte, into one that is ours.
        unsafe { libc::read(gate, ptr::from_mut(&mut 0_u8).cast(), 1) };
    }
    let signal = RAISE.swap(0, SeqCst);
    if signal != 0 {
        // SAFETY: raise takes a number and touches no memory of ours.
        unsafe { libc::raise(signal) };
    }
}
