//! A replacement for the self-pipe: an eventfd, a 64-bit counter in the kernel with one descriptor.
//!
//! A pair of sockets works on every UNIX. An eventfd is a Linux feature, but it takes one
//! descriptor instead of two and no buffer, and a single read drains it, however many wakes there
//! were. See `eventfd(2)`.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use step01_fd::check;

/// Both ends in one object: other threads wake the loop through it, and the loop waits for it and
/// drains it. An `EventFd` is cheap to clone. On Linux, mio's `Waker`, which tokio uses, is an
/// eventfd, too.
///
/// ```
/// let counter = step05_selfpipe::EventFd::new()?;
/// let waker = counter.clone();
/// std::thread::spawn(move || waker.wake()).join().expect("the thread ends");
/// assert_eq!(counter.drain()?, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EventFd {
    counter: Arc<OwnedFd>,
}

impl EventFd {
    /// Makes a non-blocking, close-on-exec counter that starts at zero.
    ///
    /// # Errors
    ///
    /// Fails with `EMFILE` or `ENFILE` if no descriptor is left.
    pub fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes two integers and touches no memory of ours.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        let fd = check(fd, || "eventfd".to_string())?;
        // SAFETY: eventfd succeeded, so the descriptor is open and has no other owner.
        let counter = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(EventFd { counter: Arc::new(counter) })
    }

    // ANCHOR: event_wake
    /// Adds one to the counter, which makes it readable. Never blocks: a counter at its maximum
    /// refuses the addition, but it's readable anyway.
    pub fn wake(&self) {
        // SAFETY: the counter is open for as long as it's borrowed here.
        let _ = unsafe { libc::eventfd_write(self.counter.as_raw_fd(), 1) };
    }
    // ANCHOR_END: event_wake

    // ANCHOR: event_drain
    /// Resets the counter to zero in one read and returns its previous value.
    ///
    /// # Errors
    ///
    /// Fails if the read does. `WouldBlock` doesn't count as an error: it means that the counter is
    /// already zero.
    pub fn drain(&self) -> io::Result<u64> {
        let fd = self.counter.as_raw_fd();
        let mut count = 0;
        // SAFETY: `count` has room for the one number that's read.
        let read = unsafe { libc::eventfd_read(fd, &raw mut count) };
        match check(read, || format!("read eventfd {fd}")) {
            Ok(_) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error),
        }
    }
    // ANCHOR_END: event_drain
}

impl AsFd for EventFd {
    /// Returns the descriptor to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.counter.as_fd()
    }
}
