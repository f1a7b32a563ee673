//! The same levers on select(2), the oldest of the three.
//!
//! select takes two sets of numbers, 1024 bits each, and leaves in them those that are ready. A
//! larger number has no bit: the C macros would set it in whatever lies behind the set, so it is
//! refused here. And a bit says "a read would not block", no more: whether that is for data, the end
//! or an error, only the read will tell.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use crate::{Events, Interest};
use step01_fd::CallError;

/// A list of descriptors for select(2), with [`Epoll`](crate::Epoll)'s face. Level-triggered alone.
#[derive(Debug, Default)]
pub struct Select {
    /// The token of each number that is on the list, at the place of the number.
    tokens: Vec<Option<u64>>,
    readers: Set,
    writers: Set,
}

impl Select {
    /// The first number that select(2) cannot wait for (`FD_SETSIZE`).
    pub const LIMIT: RawFd = 1024;

    /// An empty list.
    pub fn new() -> Self {
        Select::default()
    }

    /// Puts `fd` on the list. `AlreadyExists` if its number is there already, `InvalidInput` if
    /// the number is [`LIMIT`](Self::LIMIT) or more.
    pub fn add(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        if fd >= Self::LIMIT {
            let message = format!("select list, add fd {fd}: it is not below {}", Self::LIMIT);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let place = place(fd);
        if self.tokens.get(place).is_some_and(Option::is_some) {
            return Err(refused("add", fd, libc::EEXIST));
        }
        if place >= self.tokens.len() {
            self.tokens.resize(place + 1, None);
        }
        self.set(place, token, interest);
        Ok(())
    }

    /// Changes the token and interest of `fd`. `NotFound` if it is not on the list.
    pub fn modify(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let place = self.find(fd.as_fd().as_raw_fd(), "modify")?;
        self.set(place, token, interest);
        Ok(())
    }

    /// Takes `fd` off the list. `NotFound` if it is not there.
    pub fn delete(&mut self, fd: impl AsFd) -> io::Result<()> {
        let place = self.find(fd.as_fd().as_raw_fd(), "delete")?;
        self.remove(place);
        Ok(())
    }

    /// Sleeps as [`Epoll::wait`](crate::Epoll::wait) does, but to the microsecond, and fills
    /// `events` with those that are ready. An event is never more than "readable" or "writable".
    ///
    /// One number that nobody has open any more makes the whole call fail (`EBADF`). It is taken
    /// off the list, as epoll would, and the others are looked at again. See `select(2)`.
    pub fn wait(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        events.refill(std::iter::empty());
        let mut timeout = timeout;
        loop {
            let Err(error) = self.wait_once(events, timeout) else {
                return Ok(());
            };
            match error.raw_os_error() {
                Some(libc::EINTR) => return Ok(()),
                Some(libc::EBADF) if self.remove_closed() => timeout = Some(Duration::ZERO),
                _ => return Err(CallError::wrap("select", error)),
            }
        }
    }

    /// One call of select(2), which overwrites the sets it is given: so it is given copies.
    fn wait_once(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let (mut readers, mut writers) = (self.readers, self.writers);
        let mut timeout = timeout.map(timeval);
        let timeout = timeout.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let end = libc::c_int::try_from(self.tokens.len()).unwrap_or(Self::LIMIT);
        // SAFETY: both sets have the size and layout of an fd_set and hold a bit for each number
        // below `end`, which is at most LIMIT; there is no third set; `timeout` is null or valid.
        let found = unsafe {
            libc::select(end, readers.raw(), writers.raw(), std::ptr::null_mut(), timeout)
        };
        if found == -1 {
            return Err(io::Error::last_os_error());
        }
        let listed = self.tokens.iter().enumerate();
        events.refill(listed.filter_map(|(place, token)| {
            let events = bits(readers.has(place), writers.has(place));
            (events != 0).then_some(libc::epoll_event { events, u64: (*token)? })
        }));
        Ok(())
    }

    /// Takes the numbers off the list that are not open, and tells whether there were any.
    fn remove_closed(&mut self) -> bool {
        let closed = |&place: &usize| self.tokens[place].is_some() && !is_open(place);
        let closed: Vec<usize> = (0..self.tokens.len()).filter(closed).collect();
        for &place in &closed {
            self.remove(place);
        }
        !closed.is_empty()
    }

    fn set(&mut self, place: usize, token: u64, interest: Interest) {
        self.tokens[place] = Some(token);
        self.readers.put(place, interest.contains(Interest::READABLE));
        self.writers.put(place, interest.contains(Interest::WRITABLE));
    }

    fn remove(&mut self, place: usize) {
        self.tokens[place] = None;
        self.readers.put(place, false);
        self.writers.put(place, false);
        // select looks at every number up to the highest, so that is kept low.
        while self.tokens.pop_if(|last| last.is_none()).is_some() {}
    }

    /// The place of a number that is on the list.
    fn find(&self, fd: RawFd, operation: &str) -> io::Result<usize> {
        let place = place(fd);
        let token = self.tokens.get(place).copied().flatten();
        token.map(|_| place).ok_or_else(|| refused(operation, fd, libc::ENOENT))
    }
}

/// An `fd_set`: bit `n` of the words is number `n`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(transparent)]
struct Set([libc::c_ulong; Select::LIMIT as usize / WORD]);

/// The bits of one word.
const WORD: usize = libc::c_ulong::BITS as usize;
const _: () = assert!(size_of::<Set>() == size_of::<libc::fd_set>());

impl Set {
    fn has(&self, place: usize) -> bool {
        self.0[place / WORD] & 1 << (place % WORD) != 0
    }

    fn put(&mut self, place: usize, is_in: bool) {
        let bit = 1 << (place % WORD);
        if is_in {
            self.0[place / WORD] |= bit;
        } else {
            self.0[place / WORD] &= !bit;
        }
    }

    fn raw(&mut self) -> *mut libc::fd_set {
        std::ptr::from_mut(self).cast()
    }
}

fn place(fd: RawFd) -> usize {
    fd.unsigned_abs() as usize
}

/// In epoll's bits, what select has found.
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

/// A timeout as select wants it: in microseconds, rounded up, so that no wait is over too early.
fn timeval(timeout: Duration) -> libc::timeval {
    let micros = timeout.as_nanos().div_ceil(1000);
    libc::timeval {
        tv_sec: libc::time_t::try_from(micros / 1_000_000).unwrap_or(libc::time_t::MAX),
        tv_usec: libc::suseconds_t::try_from(micros % 1_000_000).unwrap_or_default(),
    }
}

/// Whether somebody in this process has the number open.
fn is_open(place: usize) -> bool {
    let number = libc::c_int::try_from(place).unwrap_or(-1);
    // SAFETY: F_GETFD takes a number and touches no memory of ours.
    unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
}

/// The error `epoll_ctl` would give, since here nobody asks the kernel.
fn refused(operation: &str, number: RawFd, errno: i32) -> io::Error {
    let reason = io::Error::from_raw_os_error(errno);
    CallError::wrap(format!("select list, {operation} fd {number}"), reason)
}
