//! The same alarm, with Linux's own means: a counter of 64 bits behind one descriptor.
//!
//! A pair of sockets works on every UNIX, and this on Linux alone. It takes one descriptor instead
//! of two, no buffer, and one read to put the alarm back, however often it rang. See `eventfd(2)`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use step01_fd::{Read, check};

/// An alarm that both sides hold: whoever has news wakes, the loop waits for it and drains it.
/// Cheap to clone. (mio: `Waker`, and tokio through it)
///
/// ```
/// let alarm = step05_selfpipe::EventFd::new()?;
/// let remote = alarm.clone();
/// std::thread::spawn(move || remote.wake()).join().expect("the thread ends");
/// assert_eq!(alarm.drain()?, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EventFd {
    counter: Arc<OwnedFd>,
}

impl EventFd {
    /// Makes a counter that stands at zero; non-blocking and close-on-exec.
    pub fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes two numbers and touches no memory of ours.
        let number = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        let number = check(number, || "eventfd".to_string())?;
        // SAFETY: eventfd succeeded, so the number is open and nobody else owns it.
        let counter = unsafe { OwnedFd::from_raw_fd(number) };
        Ok(EventFd { counter: Arc::new(counter) })
    }

    // ANCHOR: event_wake
    /// Adds one to the counter, which makes it readable. Never blocks and never fails: a counter
    /// that cannot be counted up any further is awake enough.
    pub fn wake(&self) {
        let _ = step01_fd::write(&*self.counter, &1_u64.to_ne_bytes());
    }
    // ANCHOR_END: event_wake

    // ANCHOR: event_drain
    /// Puts the counter back to zero, and returns where it stood. One read is all of it.
    pub fn drain(&self) -> io::Result<u64> {
        let mut count = [0; 8];
        match step01_fd::read(&*self.counter, &mut count)? {
            Read::Bytes(_) => Ok(u64::from_ne_bytes(count)),
            Read::WouldBlock | Read::End => Ok(0),
        }
    }
    // ANCHOR_END: event_drain
}

impl AsFd for EventFd {
    /// What to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.counter.as_fd()
    }
}
