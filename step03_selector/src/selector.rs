//! The interface of all selectors: registrations, events and operations.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use step02_epoll::{Event, Interest, Trigger};

// ANCHOR: key
/// The registration of a descriptor; Python's `selectors.SelectorKey`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorKey<T> {
    /// The directions to wait for.
    pub interest: Interest,
    /// The rule by which the kernel reports the descriptor.
    pub trigger: Trigger,
    /// The caller's data: a callback, a name, an id.
    pub data: T,
}
// ANCHOR_END: key

// ANCHOR: ready_event
/// A registered descriptor that's ready; one of the `(key, events)` pairs that Python's `select()`
/// returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyEvent<T> {
    /// The data of the descriptor's registration.
    pub data: T,
    /// The registration's directions that are ready: all of them after a hang-up or an error that
    /// epoll or poll(2) reports.
    pub interest: Interest,
    /// True if the peer will send no more (reported only to readers), or after a hang-up or an
    /// error: once the buffer is empty, a read finds the end or an error. A FIFO or a UDP socket
    /// can recover; a pipe or a TCP connection can't.
    pub read_closed: bool,
    /// True after a hang-up or an error: nothing you write will arrive any more. A FIFO or a UDP
    /// socket can recover; a pipe or a TCP connection can't.
    pub write_closed: bool,
}
// ANCHOR_END: ready_event

impl<T: Clone> SelectorKey<T> {
    // ANCHOR: ready
    /// Translates an event into a [`ReadyEvent`] for the owner of this key. Returns `None` if the
    /// event concerns no direction of the key's interest.
    ///
    /// A hang-up or an error makes both directions ready: see
    /// [`Event::is_readable`](step02_epoll::Event::is_readable).
    pub fn ready(&self, event: Event) -> Option<ReadyEvent<T>> {
        let reads = event.is_readable() && self.interest.contains(Interest::READABLE);
        let writes = event.is_writable() && self.interest.contains(Interest::WRITABLE);
        let interest = match (reads, writes) {
            (false, false) => return None,
            (true, false) => Interest::READABLE,
            (false, true) => Interest::WRITABLE,
            (true, true) => Interest::READABLE | Interest::WRITABLE,
        };
        Some(ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
    }
    // ANCHOR_END: ready
}

/// Descriptors with their data, and one wait for all of them; Python's `selectors.BaseSelector`.
///
/// Unregister a descriptor before you close it. The kernel soon reuses its number, and the selector
/// can't see that the number now names another object.
pub trait Selector<T: Clone> {
    /// Registers `fd` with a level trigger.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidInput` if `interest` has no direction, with `AlreadyExists` if `fd` is
    /// registered, and with `PermissionDenied` if epoll can't wait for `fd`'s object, for example a
    /// regular file. poll(2) and select(2) take a regular file and report it as always ready. After
    /// an error, nothing has changed.
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()>;

    // ANCHOR: contract_of_modify
    /// Changes the interest and the data of `fd` and returns the previous key.
    ///
    /// The trigger stays as it is. Unlike `register`, `modify` accepts an interest without a
    /// direction. On epoll, `modify` makes one system call if the interest changes, and otherwise
    /// none.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't registered, or if the interest changes and the wait has
    /// dropped `fd` because it was closed. If the number belongs by then to an object that epoll
    /// can't wait for, such as a regular file, epoll fails with another error, and `modify` returns
    /// that error or `NotFound`. After an error, the key is unchanged.
    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>>;
    // ANCHOR_END: contract_of_modify

    // ANCHOR: contract_of_unregister
    /// Unregisters `fd` and returns its key. On epoll, `unregister` makes at most one system call.
    ///
    /// It also unregisters a descriptor whose key has an empty interest. Only
    /// [`modify`](Self::modify) can set an empty interest, so this case isn't checked until you've
    /// written `modify`.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't registered, and for no other reason. If the wait has
    /// dropped `fd` because it was closed, `unregister` still succeeds, whether the number is free
    /// by now or belongs to another object of any kind.
    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>>;
    // ANCHOR_END: contract_of_unregister

    /// Returns the key of `fd`, if it's registered.
    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<T>>;

    // ANCHOR: contract_of_select
    /// Sleeps until a registered descriptor is ready or `timeout` expires (`None`: never), then
    /// replaces the contents of `ready` with the descriptors that are ready.
    ///
    /// `select` waits only once, with this timeout. So it can return early without a ready
    /// descriptor, for example after a signal, or if the wait finds only events of earlier
    /// registrations. The wait has room for an event of each registered descriptor.
    ///
    /// # Errors
    ///
    /// Fails if the wait does. After an error, the contents of `ready` are unspecified.
    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<T>>,
    ) -> io::Result<()>;
    // ANCHOR_END: contract_of_select
}

/// Makes the error for a registration without a direction to wait for.
pub(crate) fn no_direction() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "register: there's no direction to wait for")
}
