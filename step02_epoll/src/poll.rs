//! `Epoll`'s operations on top of poll(2), epoll's predecessor.
//!
//! poll keeps nothing in the kernel. The list of descriptors is ours, every wait passes all of it
//! to the kernel, and the kernel checks every entry: ten thousand idle descriptors cost at least
//! ten thousand checks per wait. A dozen cost little. Unix systems without epoll have poll(2), too.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use crate::epoll::failed_wait;
use crate::interest::event_bits;
use crate::timeout::milliseconds;
use crate::{Events, Interest, Trigger};
use step01_fd::CallError;

/// A level-triggered list of descriptors for poll(2), used like [`Epoll`](crate::Epoll).
#[derive(Default)]
pub struct Poll {
    entries: Vec<libc::pollfd>,
    /// The token of each entry, at the same index.
    tokens: Vec<u64>,
}

impl Poll {
    /// Makes an empty list.
    pub fn new() -> Self {
        Poll::default()
    }

    /// Adds `fd` to the list.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if `fd` is already on the list.
    pub fn add(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        if self.find(fd).is_some() {
            return Err(refused("add", fd, libc::EEXIST));
        }
        self.entries.push(libc::pollfd { fd, events: poll_bits(interest), revents: 0 });
        self.tokens.push(token);
        Ok(())
    }

    /// Changes the token and interest of `fd`.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    pub fn modify(&mut self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        let index = self.find(fd).ok_or_else(|| refused("modify", fd, libc::ENOENT))?;
        self.entries[index].events = poll_bits(interest);
        self.tokens[index] = token;
        Ok(())
    }

    /// Deletes `fd` from the list.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    pub fn delete(&mut self, fd: impl AsFd) -> io::Result<()> {
        let fd = fd.as_fd().as_raw_fd();
        let index = self.find(fd).ok_or_else(|| refused("delete", fd, libc::ENOENT))?;
        self.remove(index);
        Ok(())
    }

    /// Sleeps as [`Epoll::wait`](crate::Epoll::wait) does and fills `events` with the events of all
    /// ready descriptors. poll reports all of them at once, so `events` grows if necessary.
    ///
    /// If a descriptor on the list was closed, the wait ends at once, perhaps without events, and
    /// deletes it from the list. But if its number is in use again, the wait can't tell that the
    /// descriptor was closed. See `poll(2)`.
    ///
    /// # Errors
    ///
    /// Fails as [`Epoll::wait`](crate::Epoll::wait) does.
    pub fn wait(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        events.refill(std::iter::empty());
        let timeout = milliseconds(timeout);
        let length = self.entries.len() as libc::nfds_t;
        // SAFETY: the kernel reads and writes `length` entries, and the list has that many.
        let found = unsafe { libc::poll(self.entries.as_mut_ptr(), length, timeout) };
        if found == -1 {
            return failed_wait("poll", io::Error::last_os_error());
        }
        self.remove_closed();
        self.collect(events);
        Ok(())
    }

    /// Fills `events` with the entries that poll(2) has marked as ready.
    fn collect(&self, events: &mut Events) {
        let listed = self.entries.iter().zip(&self.tokens);
        let ready = listed.filter(|(entry, _)| entry.revents != 0);
        events.refill(ready.map(|(entry, &token)| libc::epoll_event {
            // The bits have the same values for poll and epoll: see `poll_bits`.
            events: u32::from(entry.revents.cast_unsigned()),
            u64: token,
        }));
    }

    fn remove_closed(&mut self) {
        for index in (0..self.entries.len()).rev() {
            if self.entries[index].revents & libc::POLLNVAL != 0 {
                self.remove(index);
            }
        }
    }

    fn remove(&mut self, index: usize) {
        self.entries.remove(index);
        self.tokens.remove(index);
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

/// Returns the bits for poll(2). On nearly all of Linux's architectures they have epoll's values.
fn poll_bits(interest: Interest) -> libc::c_short {
    libc::c_short::try_from(event_bits(interest, Trigger::Level)).unwrap_or_default()
}

/// Makes an error with the `errno` that `epoll_ctl(2)` would set in the same case.
fn refused(operation: &str, fd: RawFd, errno: i32) -> io::Error {
    let reason = io::Error::from_raw_os_error(errno);
    CallError::wrap(format!("poll list, {operation} fd {fd}"), reason)
}
