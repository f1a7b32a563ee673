//! The selector on epoll, for loops on Linux.
//!
//! The kernel keeps epoll's list, so the selector and the kernel have to agree on the
//! registrations. In return, a registration can be edge-triggered, and the selector has a
//! descriptor for which another loop can wait.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use step02_epoll::{Epoll, Events};

use crate::selector::no_direction;
use crate::{Interest, ReadyEvent, Registry, Selector, SelectorKey, Trigger};

/// The system's best selector (on Linux, [`EpollSelector`]); Python's `selectors.DefaultSelector`.
pub type DefaultSelector<T> = EpollSelector<T>;

/// A selector on epoll; Python's `selectors.EpollSelector`.
///
/// ```
/// use step03_selector::{EpollSelector, Interest, Selector};
/// let (reader, writer) = step01_fd::pipe()?;
/// let mut selector = EpollSelector::new()?;
/// selector.register(&reader, Interest::READABLE, "the pipe")?;
/// step01_fd::write(&writer, b"hello")?;
/// let mut ready = Vec::new();
/// selector.select(None, &mut ready)?;
/// assert_eq!(ready[0].data, "the pipe");
/// # Ok::<(), std::io::Error>(())
/// ```
// ANCHOR: selector
#[derive(Debug)]
pub struct EpollSelector<T> {
    epoll: Epoll,
    registry: Registry<T>,
    events: Events,
}
// ANCHOR_END: selector

impl<T: Clone> EpollSelector<T> {
    /// Makes an empty selector with its own epoll object.
    ///
    /// # Errors
    ///
    /// Fails as [`Epoll::new`] does.
    pub fn new() -> io::Result<Self> {
        // The room grows with the registrations: see `make_room`.
        let events = Events::with_capacity(64);
        Ok(EpollSelector { epoll: Epoll::new()?, registry: Registry::new(), events })
    }

    /// Registers `fd` like [`register`](Selector::register), but each change is reported only once
    /// ([`Trigger::Edge`]), so read or write until the call would block.
    ///
    /// # Errors
    ///
    /// Fails as [`register`](Selector::register) does.
    pub fn register_edge(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()> {
        self.add(fd, SelectorKey { interest, trigger: Trigger::Edge, data })?;
        self.make_room();
        Ok(())
    }

    /// Returns the keys of all registered descriptors; Python's `get_map`.
    pub fn keys(&self) -> impl Iterator<Item = &SelectorKey<T>> {
        self.registry.keys()
    }

    /// Makes room for an event of each registered descriptor, so that one wait can report all of
    /// them. CPython does the same, whereas tokio by default takes at most 1,024 events per wait.
    fn make_room(&mut self) {
        self.events.make_room(self.registry.places());
    }

    // ANCHOR: add
    /// Registers `fd` with epoll in one system call and, if epoll accepts `fd`, files the key in
    /// the registry. Fails as [`register`](Selector::register) does or with epoll's error. After an
    /// error, nothing has changed.
    fn add(&mut self, fd: impl AsFd, key: SelectorKey<T>) -> io::Result<()> {
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
    }
    // ANCHOR_END: add
}

impl<T: Clone> Selector<T> for EpollSelector<T> {
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()> {
        self.add(fd, SelectorKey { interest, trigger: Trigger::Level, data })?;
        self.make_room();
        Ok(())
    }

    // ANCHOR: modify
    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>> {
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
    }
    // ANCHOR_END: modify

    // ANCHOR: unregister
    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let key = self.registry.remove(&fd)?;
        // An error only means that epoll has no entry for `fd`, which was closed and is now free
        // (EBADF) or names another object (ENOENT, or EPERM for a file). If a duplicate keeps
        // the old object open, epoll keeps reporting it, with a token that finds no key.
        let _ = self.epoll.delete(&fd);
        Ok(key)
    }
    // ANCHOR_END: unregister

    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<T>> {
        self.registry.get(fd)
    }

    // ANCHOR: select
    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<T>>,
    ) -> io::Result<()> {
        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            // A stale event comes from an earlier registration. It finds no key and is dropped.
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
    }
    // ANCHOR_END: select
}

impl<T> AsFd for EpollSelector<T> {
    /// Returns the epoll object's descriptor, which is readable while a wait would report an event.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
