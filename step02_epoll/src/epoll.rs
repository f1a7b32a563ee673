//! epoll: a list of descriptors, kept in the kernel, and one wait for all of them.
//!
//! Delete a descriptor from the list before you close it. The chapter's section "The ghost" and
//! `epoll(7)` give the reason.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::interest::event_bits;
use crate::timeout::milliseconds;
use crate::{Events, Interest, Trigger};
use step01_fd::{CallError, check};

/// An epoll object. See `epoll(7)`.
///
/// ```
/// use step02_epoll::{Epoll, Events, Interest, Trigger};
/// let (reader, writer) = step01_fd::pipe()?;
/// let epoll = Epoll::new()?;
/// epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
/// step01_fd::write(&writer, b"hello")?;
/// let mut events = Events::with_capacity(8);
/// epoll.wait(&mut events, None)?;
/// assert_eq!(events.iter().map(|event| event.token()).collect::<Vec<_>>(), [7]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Epoll {
    fd: OwnedFd,
}

impl Epoll {
    /// Makes an epoll object with an empty list. The object's own descriptor is close-on-exec.
    ///
    /// # Errors
    ///
    /// Fails with `EMFILE` or `ENFILE` if no descriptor is left.
    pub fn new() -> io::Result<Self> {
        // SAFETY: epoll_create1 takes an integer and touches no memory of ours.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        let fd = check(fd, || "epoll_create1".to_string())?;
        // SAFETY: epoll_create1 succeeded, so the descriptor is open and has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Epoll { fd })
    }

    // ANCHOR: add
    /// Adds `fd` to the list. Each event of `fd` will carry `token`.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` (`EEXIST`) if `fd` is on the list, and with `PermissionDenied`
    /// (`EPERM`) if epoll can't wait for the object behind `fd`, for example a regular file.
    pub fn add(
        &self,
        fd: impl AsFd,
        token: u64,
        interest: Interest,
        trigger: Trigger,
    ) -> io::Result<()> {
        let mut event = libc::epoll_event { events: event_bits(interest, trigger), u64: token };
        self.control(libc::EPOLL_CTL_ADD, "ADD", fd.as_fd().as_raw_fd(), &mut event)
    }
    // ANCHOR_END: add

    /// Changes the token, interest and trigger of `fd`, which also rearms a one-shot registration.
    /// The chapter's section "Level or edge" shows the effect on an edge-triggered registration.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` (`ENOENT`) if `fd` isn't on the list.
    pub fn modify(
        &self,
        fd: impl AsFd,
        token: u64,
        interest: Interest,
        trigger: Trigger,
    ) -> io::Result<()> {
        let mut event = libc::epoll_event { events: event_bits(interest, trigger), u64: token };
        self.control(libc::EPOLL_CTL_MOD, "MOD", fd.as_fd().as_raw_fd(), &mut event)
    }

    /// Deletes `fd` from the list.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` (`ENOENT`) if `fd` isn't on the list.
    pub fn delete(&self, fd: impl AsFd) -> io::Result<()> {
        let mut unused = libc::epoll_event { events: 0, u64: 0 };
        self.control(libc::EPOLL_CTL_DEL, "DEL", fd.as_fd().as_raw_fd(), &mut unused)
    }

    /// Calls `epoll_ctl(2)` and names the call in its errors: `epoll_ctl ADD fd 5: File exists`.
    fn control(
        &self,
        operation: libc::c_int,
        name: &str,
        fd: RawFd,
        event: &mut libc::epoll_event,
    ) -> io::Result<()> {
        // SAFETY: `event` is a valid epoll_event; the kernel copies it before it returns.
        let done = unsafe { libc::epoll_ctl(self.fd.as_raw_fd(), operation, fd, event) };
        check(done, || format!("epoll_ctl {name} fd {fd}"))?;
        Ok(())
    }

    // ANCHOR: wait
    /// Sleeps until a descriptor on the list is ready or `timeout` expires (`None`: never), then
    /// fills `events` with the events of the ready descriptors, as many as fit.
    ///
    /// The timeout is rounded up to whole milliseconds, so that it doesn't expire early, and is
    /// limited to just under 25 days. If it's zero, the wait checks the list without sleeping. A
    /// signal that ends the sleep isn't an error: `events` is then empty, and the caller checks its
    /// own conditions again.
    ///
    /// A wait allocates no memory and makes one system call, which checks the list before it
    /// sleeps. `epoll_wait(2)`, which takes whole milliseconds, is as old as epoll;
    /// `epoll_pwait2(2)`, which takes nanoseconds, is new in Linux 5.11.
    ///
    /// # Errors
    ///
    /// Fails with any error of the system call except `EINTR`, which means that a signal ended it.
    pub fn wait(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        failed_wait("epoll_wait", io::Error::last_os_error())
    }
    // ANCHOR_END: wait

    /// Sleeps like [`wait`](Epoll::wait), but with a timeout in nanoseconds: see `epoll_pwait2(2)`.
    /// No loop in this workbook calls this function; step 04 measures the possible gain.
    ///
    /// The timeout doesn't expire early, but the kernel may let it expire late, by the timer slack
    /// (usually 50 µs) or by 0.1% of the timeout (0.5% for a niced thread, at most 100 ms),
    /// whichever is longer. On a busy machine, the delay can be longer still.
    ///
    /// # Errors
    ///
    /// Fails with `Unsupported` (`ENOSYS`) on kernels before Linux 5.11, and otherwise as
    /// [`wait`](Epoll::wait) does.
    pub fn wait_precisely(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = timeout.map(timespec);
        let time = timeout.as_ref().map_or(std::ptr::null(), |time| time.as_ptr());
        let epoll = self.fd.as_raw_fd();
        let no_mask = std::ptr::null::<libc::c_void>();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many. It reads
        // two 64-bit integers from `time`, if that isn't null, and gets no mask.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll,
                room.as_mut_ptr(),
                capacity,
                time,
                no_mask,
                0_usize,
            )
        };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        failed_wait("epoll_pwait2", io::Error::last_os_error())
    }
}

/// Turns the error of a wait into the wait's outcome: a signal (`EINTR`) is a success without
/// events, and any other error gets the name of its `call`.
pub(crate) fn failed_wait(call: &str, error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(()),
        _ => Err(CallError::wrap(call, error)),
    }
}

/// Returns seconds and nanoseconds, 64 bits each, as `epoll_pwait2(2)` takes them on every machine.
fn timespec(time: Duration) -> [i64; 2] {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    [seconds, i64::from(time.subsec_nanos())]
}

impl AsFd for Epoll {
    /// Returns the epoll object's own descriptor, which is readable while a wait would report an
    /// event.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
