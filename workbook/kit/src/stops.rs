//! The calls at which a thread stops until we answer. [`crate::Turns`], [`crate::Observer`] and
//! [`crate::before_each_wait`] are built on this module.
//!
//! A filter reports the thread's calls through a descriptor. See `seccomp_unotify(2)`.

use std::fs;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread::{self, JoinHandle};

use anyhow::ensure;

use crate::Refusal;
use crate::check::check;
use crate::filter::{answer_by_call, install};
use crate::waits::{self, Waits};

/// The calls at which a thread of [`crate::Turns`] stops. std's locks wait and wake with futex(2),
/// and `yield_now` is for code that needs an additional stop.
const CALLS: [(libc::c_long, &str); 7] = [
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_recvfrom, "recv"),
    (libc::SYS_write, "write"),
    (libc::SYS_sendto, "send"),
    (libc::SYS_futex, "unlock"),
    (libc::SYS_sched_yield, "go on"),
];

/// A call at which a thread is stopped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop(libc::seccomp_notif);

impl Stop {
    /// Waits until the thread is stopped at a call and returns that call.
    pub(crate) fn of_the_next_call(listener: &OwnedFd) -> io::Result<Stop> {
        // SAFETY: all zeros is a valid seccomp_notif, and the kernel expects all zeros.
        let mut stop: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        let (fd, request) = (listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV);
        // SAFETY: the pointer is to a seccomp_notif, which the kernel fills in.
        let received = unsafe { libc::ioctl(fd, request, &raw mut stop) };
        check(received, "ioctl SECCOMP_IOCTL_NOTIF_RECV")?;
        Ok(Stop(stop))
    }

    /// Returns true if the thread is stopped at the call with this number.
    pub(crate) fn is(self, call: libc::c_long) -> bool {
        libc::c_long::from(self.0.data.nr) == call
    }

    /// Returns true if a refusal applies to this call.
    pub(crate) fn concerns(self, refusal: &Refusal) -> bool {
        let argument = |(index, value): (u32, u32)| {
            let given = self.0.data.args[index as usize];
            given & u64::from(u32::MAX) == u64::from(value)
        };
        self.is(refusal.call) && refusal.argument.is_none_or(argument)
    }

    /// Returns true if the first argument is the descriptor of a file on a disk or in `/proc`.
    pub(crate) fn is_about_a_file(self) -> bool {
        // Threads share their descriptors, so this thread has them, too.
        let metadata = fs::metadata(format!("/proc/self/fd/{}", self.0.data.args[0]));
        metadata.is_ok_and(|metadata| metadata.is_file())
    }

    /// Returns true if the call waits on a futex. The low bits of the call's operation are the
    /// command, and the high bits are flags.
    pub(crate) fn is_a_wait(self) -> bool {
        let wait =
            [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET].map(i32::unsigned_abs).map(u64::from);
        self.is(libc::SYS_futex) && wait.contains(&(self.0.data.args[1] & 0x7f))
    }

    /// Returns true if the call only polls and doesn't wait, for example because its timeout is
    /// zero, its descriptor doesn't block, it has a flag such as `WNOHANG`, or it's a futex call
    /// that never waits.
    pub(crate) fn only_looks(self) -> bool {
        let arguments = self.0.data.args;
        // Returns an argument as an int.
        let int = |index: usize| arguments[index] & u64::from(u32::MAX);
        let has = |index: usize, flag: i32| int(index) & u64::from(flag.unsigned_abs()) != 0;
        // The time is two words in the thread's memory, which is our own memory.
        let is_zero = |index: usize| {
            let address = usize::try_from(arguments[index]).unwrap_or(0);
            let time = std::ptr::with_exposed_provenance::<[u64; 2]>(address);
            // SAFETY: the address is an argument of a call at which the thread is stopped. An
            // invalid pointer would make the call fail, and no author of a loop passes an invalid
            // pointer.
            !time.is_null() && unsafe { time.read_unaligned() } == [0, 0]
        };
        let number = libc::c_long::from(self.0.data.nr);
        match number {
            libc::SYS_rt_sigtimedwait => is_zero(2),
            libc::SYS_semtimedop => is_zero(3),
            libc::SYS_io_getevents | libc::SYS_mq_timedreceive => is_zero(4),
            // The argument is the number of completions that the call waits for.
            libc::SYS_io_uring_enter => int(2) == 0,
            libc::SYS_futex => !self.is_a_wait(),
            libc::SYS_read | libc::SYS_readv | libc::SYS_preadv2 => self.cannot_block(),
            libc::SYS_recvfrom | libc::SYS_recvmmsg => {
                has(3, libc::MSG_DONTWAIT) || self.cannot_block()
            }
            libc::SYS_recvmsg => has(2, libc::MSG_DONTWAIT) || self.cannot_block(),
            libc::SYS_msgrcv => has(4, libc::IPC_NOWAIT),
            libc::SYS_wait4 => has(2, libc::WNOHANG),
            libc::SYS_waitid => has(3, libc::WNOHANG),
            libc::SYS_flock => has(1, libc::LOCK_NB),
            _ => match waits::Call::with_number(number).map(|call| call.waits) {
                Some(Waits::Milliseconds(timeout)) => int(timeout) == 0,
                Some(Waits::Timespec(timeout)) => is_zero(timeout),
                Some(Waits::Accept) => self.cannot_block(),
                _ => false,
            },
        }
    }

    /// Returns true for an fcntl or ioctl command that neither waits nor polls. Most of these
    /// commands change or return a setting.
    pub(crate) fn is_another_command(self) -> bool {
        let command = self.0.data.args[1] & u64::from(u32::MAX);
        let locks = [libc::F_SETLKW, libc::F_OFD_SETLKW].map(i32::unsigned_abs).map(u64::from);
        match libc::c_long::from(self.0.data.nr) {
            libc::SYS_fcntl => !locks.contains(&command),
            libc::SYS_ioctl => command != libc::SECCOMP_IOCTL_NOTIF_RECV,
            _ => false,
        }
    }

    /// Returns true if the first argument is a non-blocking descriptor.
    fn cannot_block(self) -> bool {
        let fd = i32::try_from(self.0.data.args[0]).unwrap_or(-1);
        // SAFETY: the call takes numbers and touches no memory of ours. Threads share descriptors.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
        flags >= 0 && flags & libc::O_NONBLOCK != 0
    }

    /// Lets the thread make the call.
    pub(crate) fn continue_(self, listener: &OwnedFd) -> io::Result<()> {
        self.answer(listener, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE)
    }

    /// Returns true if the thread may just have released a lock.
    pub(crate) fn may_release(self) -> bool {
        self.is(libc::SYS_futex) && !self.is_a_wait()
    }

    pub(crate) fn name(self) -> &'static str {
        if self.is_a_wait() {
            return "wait for the lock";
        }
        CALLS.iter().find(|(call, _)| self.is(*call)).map_or("?", |(_, name)| name)
    }

    /// Lets the thread make the call. Two kinds of calls aren't carried out but return immediately,
    /// as their contracts allow: a wait for a lock, which would sleep, and a yield, which would let
    /// every busy process on the machine go first. After such a wait, the thread checks the lock
    /// again and makes the same call again if the lock is still held.
    pub(crate) fn go_on(self, listener: &OwnedFd) -> io::Result<()> {
        let is_skipped = self.is_a_wait() || self.is(libc::SYS_sched_yield);
        let flags = if is_skipped { 0 } else { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE };
        self.answer(listener, 0, flags)
    }

    /// Makes the call fail with this errno.
    pub(crate) fn refuse(self, listener: &OwnedFd, errno: i32) -> io::Result<()> {
        self.answer(listener, -errno, 0)
    }

    fn answer(self, listener: &OwnedFd, error: i32, flags: libc::c_ulong) -> io::Result<()> {
        let flags = u32::try_from(flags).map_err(io::Error::other)?;
        let mut answer = libc::seccomp_notif_resp { id: self.0.id, val: 0, error, flags };
        let (fd, request) = (listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND);
        // SAFETY: the pointer is to a seccomp_notif_resp, which the kernel reads.
        let sent = unsafe { libc::ioctl(fd, request, &raw mut answer) };
        check(sent, "ioctl SECCOMP_IOCTL_NOTIF_SEND")?;
        Ok(())
    }
}

/// Makes this thread stop at [these calls](CALLS) and returns the descriptor that reports the
/// stops.
pub(crate) fn stop_at_calls() -> io::Result<i32> {
    let calls = CALLS.map(|(call, _)| call);
    stop_by_call(&calls, libc::SECCOMP_RET_USER_NOTIF, libc::SECCOMP_RET_ALLOW)
}

/// Makes this thread, and the threads that it starts, stop at the calls that can wait, apart from
/// writes. Returns the descriptor that reports the stops.
pub(crate) fn stop_at_waits() -> io::Result<i32> {
    let waits = waits::CALLS.iter().filter(|call| !matches!(call.waits, Waits::Write));
    let calls: Vec<libc::c_long> = waits.map(|call| call.number).collect();
    stop_by_call(&calls, libc::SECCOMP_RET_USER_NOTIF, libc::SECCOMP_RET_ALLOW)
}

/// Makes this thread stop at every call except these and returns the descriptor that reports the
/// stops.
pub(crate) fn stop_at_others(calls: &[libc::c_long]) -> io::Result<i32> {
    stop_by_call(calls, libc::SECCOMP_RET_ALLOW, libc::SECCOMP_RET_USER_NOTIF)
}

fn stop_by_call(calls: &[libc::c_long], listed: u32, other: u32) -> io::Result<i32> {
    install(&answer_by_call(calls, listed, other)?, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)
}

/// Starts a thread that first calls `stop`, one of the functions above, and then `f`. Returns the
/// thread and the descriptor that reports its stops.
///
/// Fails if the kernel can't report a thread's calls or doesn't let this process receive such
/// reports.
pub(crate) fn start<T: Send + 'static>(
    stop: impl FnOnce() -> io::Result<i32> + Send + 'static,
    f: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<(JoinHandle<T>, OwnedFd)> {
    const NOT_ALLOWED: i32 = -1;
    let (mut listener, mut for_listener) = io::pipe()?;
    let thread = thread::spawn(move || {
        let fd = stop().unwrap_or(NOT_ALLOWED);
        // No thread answers this thread's calls yet, so it mustn't make any call at which it would
        // stop, such as a write. A writev doesn't stop it.
        let _ = for_listener.write_vectored(&[IoSlice::new(&fd.to_ne_bytes())]);
        drop(for_listener);
        f()
    });
    let mut fd = [0; 4];
    listener.read_exact(&mut fd)?;
    let fd = i32::from_ne_bytes(fd);
    ensure!(fd != NOT_ALLOWED, "the kernel doesn't report a thread's calls here");
    // SAFETY: the kernel has just made the descriptor, and it has no other owner.
    Ok((thread, unsafe { OwnedFd::from_raw_fd(fd) }))
}
