//! The selector's face, whatever is behind it.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use step02_epoll::{Event, Interest, Trigger};

/// What was registered for a descriptor. (asyncio: `selectors.SelectorKey`)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorKey<T> {
    /// The directions that are waited for.
    pub interest: Interest,
    /// How often the kernel reports them.
    pub trigger: Trigger,
    /// Whatever was handed over at registration: a callback, a name, an id.
    pub data: T,
}

/// A registered descriptor that is ready. (asyncio: one `(key, events)` of `select()`'s list)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyEvent<T> {
    /// The data of its registration.
    pub data: T,
    /// Which of the directions it was registered for are ready. A hang-up or an error counts for
    /// all of them.
    pub interest: Interest,
    /// The other side will send no more: once the buffer is empty, a read finds the end. Stays
    /// true once it is.
    pub read_closed: bool,
    /// Nothing that is written will arrive any more. Stays true once it is.
    pub write_closed: bool,
}

impl<T: Clone> SelectorKey<T> {
    // ANCHOR: ready
    /// What an event means to whoever registered this key; nothing if it concerns no direction
    /// they wait for.
    ///
    /// A hang-up and an error concern every direction (see
    /// [`Event::is_readable`](step02_epoll::Event::is_readable)), asked for or not.
    pub fn ready(&self, event: Event) -> Option<ReadyEvent<T>> {
        let mut found = Interest::NONE;
        if event.is_readable() {
            found = found | Interest::READABLE;
        }
        if event.is_writable() {
            found = found | Interest::WRITABLE;
        }
        let interest = found & self.interest;
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
    }
    // ANCHOR_END: ready
}

/// A registry of descriptors with one wait for all of them. (asyncio: `selectors.BaseSelector`)
///
/// Descriptors are filed by number. Unregister one before you close it: a number is soon used
/// again, and the selector cannot see that it means something else now.
pub trait Selector<T: Clone> {
    /// Begins to wait for `interest` on `fd`, level-triggered.
    ///
    /// `InvalidInput` if there is no direction in `interest`, `AlreadyExists` if the number is
    /// registered, `PermissionDenied` if the kernel cannot wait for such a thing.
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()>;

    /// Changes interest and data, and returns the key as it was. `NotFound` for a stranger.
    ///
    /// If the interest stays the same, the kernel is not asked.
    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>>;

    /// Forgets `fd` and returns its key. `NotFound` for a stranger; but it is no error if the
    /// kernel has forgotten it before, because it was closed.
    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>>;

    /// What is registered for `fd`, if anything.
    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<T>>;

    /// Sleeps until something is ready or `timeout` is over (`None`: for ever), and replaces the
    /// content of `ready`.
    ///
    /// It may come back early with nothing: after a signal, for one.
    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<T>>,
    ) -> io::Result<()>;
}
