//! Objects of the kernel that are neither file nor pipe nor socket.
//!
//! std has no functions that make them, so the scenes do it themselves.

use std::os::fd::{FromRawFd, OwnedFd};

use crate::check::check;

/// A counter: readable while it is not zero.
pub fn eventfd(count: u32) -> anyhow::Result<OwnedFd> {
    // SAFETY: eventfd takes numbers and touches no memory of ours.
    own("eventfd", unsafe { libc::eventfd(count, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) })
}

/// A clock: readable once its time has come.
pub fn timerfd() -> anyhow::Result<OwnedFd> {
    let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
    // SAFETY: timerfd_create takes numbers and touches no memory of ours.
    own("timerfd_create", unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) })
}

/// A letter box for one signal, which the calling thread no longer handles otherwise.
pub fn signalfd(signal: libc::c_int) -> anyhow::Result<OwnedFd> {
    // SAFETY: all zeros is a valid set of signals.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid set of signals.
    let added = unsafe { libc::sigaddset(&raw mut set, signal) };
    check(added, "sigaddset")?;
    // SAFETY: `set` is valid, and the old mask is not asked for.
    let failed =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    anyhow::ensure!(failed == 0, "pthread_sigmask: error {failed}");
    let flags = libc::SFD_NONBLOCK | libc::SFD_CLOEXEC;
    // SAFETY: −1 asks for a new descriptor, and `set` is valid.
    own("signalfd", unsafe { libc::signalfd(-1, &raw const set, flags) })
}

/// A terminal without a screen: what is typed at the first end is read at the second.
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

/// Gives the number that a call returned an owner; −1 is an error.
pub fn own(call: &str, returned: libc::c_int) -> anyhow::Result<OwnedFd> {
    let number = check(returned, call)?;
    // SAFETY: the call succeeded, so the number is open and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
