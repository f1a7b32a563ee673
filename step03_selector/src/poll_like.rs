//! The selectors on poll(2) and select(2), with the same interface as epoll's selector.
//!
//! poll(2) and select(2) keep no list in the kernel and need the whole list for every wait, so both
//! selectors share their code. In CPython, poll, epoll and devpoll share `_PollLikeSelector`, and
//! select has a class of its own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use step02_epoll::{Events, Poll, Select};

use crate::selector::no_direction;
use crate::{Interest, ReadyEvent, Registry, Selector, SelectorKey, Trigger};

/// A selector on poll(2); Python's `selectors.PollSelector`.
pub type PollSelector<T> = PollLikeSelector<Poll, T>;

/// A selector on select(2); Python's `selectors.SelectSelector`.
///
/// Registering fails with `InvalidInput` if the descriptor is [`Select::LIMIT`] or larger. select
/// only knows "readable" and "writable", so [`ReadyEvent::read_closed`] and
/// [`ReadyEvent::write_closed`] are never true: only a read or a write finds the end or the error.
pub type SelectSelector<T> = PollLikeSelector<Select, T>;

/// A selector on a [`WaitList`].
///
/// Each wait checks every registered descriptor, ready or not. Since the kernel keeps no list, the
/// wait can't tell that a closed descriptor's number is in use again, so unregister a descriptor
/// before you close it.
#[derive(Debug)]
pub struct PollLikeSelector<L, T> {
    list: L,
    registry: Registry<T>,
    events: Events,
}

/// A list of descriptors in user space, and one wait for all of them.
pub trait WaitList: Default {
    /// Adds `fd`, whose events will carry `token`.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if `fd` is already on the list, and with `InvalidInput` if `fd`
    /// is too large for the list.
    fn add(&mut self, fd: BorrowedFd<'_>, token: u64, interest: Interest) -> io::Result<()>;
    /// Changes the token and interest of `fd`.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    fn modify(&mut self, fd: BorrowedFd<'_>, token: u64, interest: Interest) -> io::Result<()>;
    /// Deletes `fd` from the list.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't on the list.
    fn delete(&mut self, fd: BorrowedFd<'_>) -> io::Result<()>;
    /// Sleeps until a descriptor is ready or `timeout` expires, then fills `events`. The wait can
    /// end early without events, for example after a signal.
    ///
    /// # Errors
    ///
    /// Fails with any error of the system call, except for `EINTR` (a signal ended the call) and
    /// for select(2)'s `EBADF` if `wait` finds the closed descriptor and can delete it.
    fn wait(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()>;
}

/// Implements [`WaitList`] through the existing methods of [`Poll`] and [`Select`].
macro_rules! wait_list {
    ($list:ident) => {
        impl WaitList for $list {
            fn add(&mut self, fd: BorrowedFd<'_>, token: u64, to: Interest) -> io::Result<()> {
                $list::add(self, fd, token, to)
            }
            fn modify(&mut self, fd: BorrowedFd<'_>, token: u64, to: Interest) -> io::Result<()> {
                $list::modify(self, fd, token, to)
            }
            fn delete(&mut self, fd: BorrowedFd<'_>) -> io::Result<()> {
                $list::delete(self, fd)
            }
            fn wait(&mut self, events: &mut Events, time: Option<Duration>) -> io::Result<()> {
                $list::wait(self, events, time)
            }
        }
    };
}

wait_list!(Poll);
wait_list!(Select);

impl<L: WaitList, T: Clone> PollLikeSelector<L, T> {
    /// Makes an empty selector.
    pub fn new() -> Self {
        // The wait makes more room if necessary: poll(2) and select(2) find all ready descriptors
        // at once.
        let events = Events::with_capacity(64);
        PollLikeSelector { list: L::default(), registry: Registry::new(), events }
    }
}

impl<L: WaitList, T: Clone> Default for PollLikeSelector<L, T> {
    fn default() -> Self {
        PollLikeSelector::new()
    }
}

impl<L: WaitList, T: Clone> Selector<T> for PollLikeSelector<L, T> {
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()> {
        if interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.list.add(fd.as_fd(), token, interest)?;
        self.registry.insert(&fd, SelectorKey { interest, trigger: Trigger::Level, data });
        Ok(())
    }

    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>> {
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.list.modify(fd.as_fd(), token, interest)?;
        }
        let changed = SelectorKey { interest, trigger: Trigger::Level, data };
        Ok(std::mem::replace(key, changed))
    }

    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let key = self.registry.remove(&fd)?;
        // This fails only if the descriptor was closed and the wait has already deleted it.
        let _ = self.list.delete(fd.as_fd());
        Ok(key)
    }

    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<T>> {
        self.registry.get(fd)
    }

    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<T>>,
    ) -> io::Result<()> {
        ready.clear();
        self.list.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
    }
}
