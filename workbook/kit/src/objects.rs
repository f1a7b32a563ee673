//! Kernel objects that are neither files nor pipes nor sockets.
//!
//! std has no functions that create such objects, so we make the system calls ourselves.

use std::os::fd::{FromRawFd, OwnedFd};

use crate::check::check;

/// Creates a counter that is readable while it isn't zero. See `eventfd(2)`.
pub fn eventfd(count: u32) -> anyhow::Result<OwnedFd> {
    // SAFETY: eventfd takes numbers and touches no memory of ours.
    own("eventfd", unsafe { libc::eventfd(count, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) })
}

/// Creates a timer that is readable once it has expired. See `timerfd_create(2)`.
pub fn timerfd() -> anyhow::Result<OwnedFd> {
    let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
    // SAFETY: timerfd_create takes numbers and touches no memory of ours.
    own("timerfd_create", unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) })
}

/// Creates a descriptor that receives this signal, which the calling thread blocks from now on. See
/// `signalfd(2)`.
pub fn signalfd(signal: libc::c_int) -> anyhow::Result<OwnedFd> {
    // SAFETY: all zeros is a valid set of signals.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid set of signals.
    let added = unsafe { libc::sigaddset(&raw mut set, signal) };
    check(added, "sigaddset")?;
    // SAFETY: `set` is valid, and a null pointer means that we don't want the old mask.
    let failed =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    anyhow::ensure!(failed == 0, "pthread_sigmask: error {failed}");
    let flags = libc::SFD_NONBLOCK | libc::SFD_CLOEXEC;
    // SAFETY: −1 asks for a new descriptor, and `set` is valid.
    own("signalfd", unsafe { libc::signalfd(-1, &raw const set, flags) })
}

/// Creates a pseudo-terminal. Bytes written to the first descriptor arrive at the second as typed
/// input, which is read line by line. See `openpty(3)`.
pub fn terminal() -> anyhow::Result<(OwnedFd, OwnedFd)> {
    let (mut keyboard, mut terminal) = (-1, -1);
    // SAFETY: both numbers are written, and the three null pointers leave everything as it is.
    let opened = unsafe {
        libc::openpty(
            &raw mut keyboard,
            &raw mut terminal,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    let keyboard = own("openpty", if opened == 0 { keyboard } else { -1 })?;
    Ok((keyboard, own("openpty", terminal)?))
}

/// Returns the descriptor that a call has just created, as an owned descriptor. If the call
/// returned −1, fails with the call's error.
pub fn own(call: &str, returned: libc::c_int) -> anyhow::Result<OwnedFd> {
    let fd = check(returned, call)?;
    // SAFETY: the call succeeded and made the descriptor, so it's open and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
