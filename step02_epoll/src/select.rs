//! `Epoll`'s operations on top of select(2), which is older than poll(2) and epoll.
//!
//! select takes three sets of descriptors, of which we use two, and leaves only the ready
//! descriptors in them. C's `fd_set` has 1,024 bits. For a descriptor above 1,023, the C macros
//! would set a bit in the memory behind the set, so `Select` refuses such descriptors. And a
//! reader's bit only says "a read wouldn't block": only the read finds out whether the reason is
//! data, the end or an error.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use crate::epoll::failed_wait;
use crate::{Events, Interest};
use step01_fd::CallError;

/// A level-triggered list of descriptors for select(2), used like [`Epoll`](crate::Epoll).
#[derive(Debug, Default)]
pub struct Select {
    /// The token of each descriptor on the list; the index is the descriptor.
    tokens: Vec<Option<u64>>,
    readers: Set,
    writers: Set,
}

impl Select {
    /// The lowest descriptor that has no bit in C's `fd_set` (`FD_SETSIZE`).
    pub const LIMIT: RawFd = 1024;

    /// Makes an empty list.
    pub fn new() -> Self {
        Select::default()
    }

    /// Adds `fd` to the list.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if `fd` is already on the list, and with `InvalidInput` if `fd`
    /// is [`LIMIT`](Self::LIMIT) or larger.
    pub fn add(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        if fd >= Self::LIMIT {
            let message = format!("select list, add fd {fd}: it isn't below {}", Self::LIMIT);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let index = index_of(fd);
        if self.tokens.get(index).is_some_and(Option::is_some) {
            return Err(refused("add", fd, libc::EEXIST));
        }
        if index >= self.tokens.len() {
            self.tokens.resize(index + 1, None);
        }
        self.set(index, token, interest);
        Ok(())
    }

    /// Changes the token and interest of `fd`.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    pub fn modify(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let index = self.find(fd.as_fd().as_raw_fd(), "modify")?;
        self.set(index, token, interest);
        Ok(())
    }

    /// Deletes `fd` from the list.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    pub fn delete(&mut self, fd: impl AsFd) -> io::Result<()> {
        let index = self.find(fd.as_fd().as_raw_fd(), "delete")?;
        self.remove(index);
        Ok(())
    }

    /// Sleeps as [`Epoll::wait`](crate::Epoll::wait) does, but with a timeout in microseconds, and
    /// fills `events` with the events of the ready descriptors. An event only says "readable",
    /// "writable" or both.
    ///
    /// A single closed descriptor in a set makes the whole call fail (`EBADF`). `wait` then deletes
    /// all closed descriptors from the list and checks the others once more, without sleeping. A
    /// closed descriptor whose number is in use again goes unnoticed. See `select(2)`.
    ///
    /// # Errors
    ///
    /// Fails as [`Epoll::wait`](crate::Epoll::wait) does. A closed descriptor makes `wait` fail
    /// (`EBADF`) only if another thread reuses its number before `wait` can delete it.
    pub fn wait(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        events.refill(std::iter::empty());
        let mut timeout = timeout;
        loop {
            let Err(error) = self.wait_once(events, timeout) else {
                return Ok(());
            };
            match error.raw_os_error() {
                Some(libc::EBADF) if self.remove_closed() => timeout = Some(Duration::ZERO),
                _ => return failed_wait("select", error),
            }
        }
    }

    /// Calls select(2) once. The call overwrites its sets, so we pass copies.
    fn wait_once(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let (mut readers, mut writers) = (self.readers, self.writers);
        let mut timeout = timeout.map(timeval);
        let timeout = timeout.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let end = libc::c_int::try_from(self.tokens.len()).unwrap_or(Self::LIMIT);
        // SAFETY: both sets have the size and layout of an fd_set and a bit for each descriptor
        // below `end`, which is at most LIMIT; there's no third set; `timeout` is null or valid.
        let found = unsafe {
            libc::select(end, readers.raw(), writers.raw(), std::ptr::null_mut(), timeout)
        };
        if found == -1 {
            return Err(io::Error::last_os_error());
        }
        let listed = self.tokens.iter().enumerate();
        events.refill(listed.filter_map(|(index, token)| {
            let events = bits(readers.has(index), writers.has(index));
            (events != 0).then_some(libc::epoll_event { events, u64: (*token)? })
        }));
        Ok(())
    }

    /// Deletes the closed descriptors from the list. Returns false if no descriptor is closed.
    fn remove_closed(&mut self) -> bool {
        let closed = |&index: &usize| self.tokens[index].is_some() && !is_open(index);
        let closed: Vec<usize> = (0..self.tokens.len()).filter(closed).collect();
        for &index in &closed {
            self.remove(index);
        }
        !closed.is_empty()
    }

    fn set(&mut self, index: usize, token: u64, interest: Interest) {
        self.tokens[index] = Some(token);
        self.readers.put(index, interest.contains(Interest::READABLE));
        self.writers.put(index, interest.contains(Interest::WRITABLE));
    }

    fn remove(&mut self, index: usize) {
        self.tokens[index] = None;
        self.readers.put(index, false);
        self.writers.put(index, false);
        // select scans its sets up to the highest descriptor, so remove empty entries at the end.
        while self.tokens.pop_if(|last| last.is_none()).is_some() {}
    }

    /// Returns the index of a descriptor on the list.
    fn find(&self, fd: RawFd, operation: &str) -> io::Result<usize> {
        let index = index_of(fd);
        let token = self.tokens.get(index).copied().flatten();
        token.map(|_| index).ok_or_else(|| refused(operation, fd, libc::ENOENT))
    }
}

/// An `fd_set`, in which bit `n` stands for descriptor `n`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(transparent)]
struct Set([libc::c_ulong; Select::LIMIT as usize / WORD]);

/// The number of bits per word.
const WORD: usize = libc::c_ulong::BITS as usize;
const _: () = assert!(size_of::<Set>() == size_of::<libc::fd_set>());

impl Set {
    fn has(&self, index: usize) -> bool {
        self.0[index / WORD] & 1 << (index % WORD) != 0
    }

    fn put(&mut self, index: usize, is_in: bool) {
        let bit = 1 << (index % WORD);
        if is_in {
            self.0[index / WORD] |= bit;
        } else {
            self.0[index / WORD] &= !bit;
        }
    }

    fn raw(&mut self) -> *mut libc::fd_set {
        std::ptr::from_mut(self).cast()
    }
}

fn index_of(fd: RawFd) -> usize {
    fd.unsigned_abs() as usize
}

/// Translates the two directions of select into epoll's bits.
fn bits(readable: bool, writable: bool) -> u32 {
    let mut bits = 0;
    if readable {
        bits |= libc::EPOLLIN;
    }
    if writable {
        bits |= libc::EPOLLOUT;
    }
    bits.cast_unsigned()
}

/// Converts a timeout to microseconds for select, rounded up so that no wait ends early.
fn timeval(timeout: Duration) -> libc::timeval {
    let almost_a_micro = Duration::from_nanos(999);
    let timeout = timeout.saturating_add(almost_a_micro);
    libc::timeval {
        tv_sec: libc::time_t::try_from(timeout.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_usec: timeout.subsec_micros().cast_signed().into(),
    }
}

/// Returns true if the descriptor is open.
fn is_open(index: usize) -> bool {
    let fd = libc::c_int::try_from(index).unwrap_or(-1);
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// Makes an error with the `errno` that `epoll_ctl(2)` would set in the same case.
fn refused(operation: &str, fd: RawFd, errno: i32) -> io::Error {
    let reason = io::Error::from_raw_os_error(errno);
    CallError::wrap(format!("select list, {operation} fd {fd}"), reason)
}
