//! The same levers on poll(2), epoll's elder.
//!
//! poll keeps nothing in the kernel. The list is ours, and every wait hands the whole of it over,
//! and the kernel walks the whole of it: ten thousand idle descriptors cost ten thousand looks each
//! time. With a dozen of them nobody notices, and it works on every UNIX.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use crate::interest::event_bits;
use crate::timeout::milliseconds;
use crate::{Events, Interest, Trigger};
use step01_fd::CallError;

/// A list of descriptors for poll(2), with [`Epoll`](crate::Epoll)'s face. Level-triggered alone.
#[derive(Default)]
pub struct Poll {
    entries: Vec<libc::pollfd>,
    /// The token of each entry, at the same place.
    tokens: Vec<u64>,
}

impl Poll {
    /// An empty list.
    pub fn new() -> Self {
        Poll::default()
    }

    /// Puts `fd` on the list. `AlreadyExists` if its number is there already.
    pub fn add(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        if self.find(fd).is_some() {
            return Err(refused("add", fd, libc::EEXIST));
        }
        self.entries.push(libc::pollfd { fd, events: poll_bits(interest), revents: 0 });
        self.tokens.push(token);
        Ok(())
    }

    /// Changes the token and interest of `fd`. `NotFound` if it is not on the list.
    pub fn modify(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        let place = self.find(fd).ok_or_else(|| refused("modify", fd, libc::ENOENT))?;
        self.entries[place].events = poll_bits(interest);
        self.tokens[place] = token;
        Ok(())
    }

    /// Takes `fd` off the list. `NotFound` if it is not there.
    pub fn delete(&mut self, fd: impl AsFd) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        let place = self.find(fd).ok_or_else(|| refused("delete", fd, libc::ENOENT))?;
        self.remove(place);
        Ok(())
    }

    /// Sleeps as [`Epoll::wait`](crate::Epoll::wait) does, and fills `events` with those that are
    /// ready. poll finds all of them at once, so the room grows if it has to.
    ///
    /// A number that nobody has open any more is taken off the list, as epoll would.
    /// See `poll(2)`.
    pub fn wait(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        events.refill(std::iter::empty());
        let timeout = milliseconds(timeout);
        let length = self.entries.len() as libc::nfds_t;
        // SAFETY: the kernel reads and writes `length` entries, and there are as many.
        let found = unsafe { libc::poll(self.entries.as_mut_ptr(), length, timeout) };
        if found == -1 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::Interrupted => Ok(()),
                _ => Err(CallError::wrap("poll", error)),
            };
        }
        self.remove_closed();
        self.collect(events);
        Ok(())
    }

    /// Copies what poll found into `events`.
    fn collect(&self, events: &mut Events) {
        let listed = self.entries.iter().zip(&self.tokens);
        let ready = listed.filter(|(entry, _)| entry.revents != 0);
        events.refill(ready.map(|(entry, &token)| libc::epoll_event {
            // On Linux the bits of poll and epoll have the same values.
            events: u32::from(entry.revents.cast_unsigned()),
            u64: token,
        }));
    }

    fn remove_closed(&mut self) {
        for place in (0..self.entries.len()).rev() {
            if self.entries[place].revents & libc::POLLNVAL != 0 {
                self.remove(place);
            }
        }
    }

    fn remove(&mut self, place: usize) {
        self.entries.remove(place);
        self.tokens.remove(place);
    }

    fn find(&self, fd: RawFd) -> Option<usize> {
        self.entries.iter().position(|entry| entry.fd == fd)
    }
}

impl std::fmt::Debug for Poll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| entry.fd)).finish()
    }
}

/// The bits of poll(2), which on Linux have the values of epoll's.
fn poll_bits(interest: Interest) -> libc::c_short {
    libc::c_short::try_from(event_bits(interest, Trigger::Level)).unwrap_or_default()
}

/// The error `epoll_ctl` would give, since here nobody asks the kernel.
fn refused(operation: &str, number: RawFd, errno: i32) -> io::Error {
    let reason = io::Error::from_raw_os_error(errno);
    CallError::wrap(format!("poll list, {operation} fd {number}"), reason)
}
