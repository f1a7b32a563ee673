//! The events that a wait has reported.

use std::fmt;

/// The bits of a hang-up and of an error, which concern both directions.
const BROKEN: i32 = libc::EPOLLHUP | libc::EPOLLERR;

/// An event: a descriptor's token, and the directions in which the descriptor is ready.
///
/// It's a copy of the kernel's `epoll_event`. That struct is packed on x86-64, so no code can
/// borrow its fields:
///
/// ```compile_fail,E0793
/// let raw = libc::epoll_event { events: 0, u64: 7 };
/// let token = &raw.u64;
/// # #[cfg(not(target_arch = "x86_64"))]
/// # compile_error!("it's packed only on x86-64");
/// ```
#[derive(Clone, Copy)]
pub struct Event {
    token: u64,
    bits: u32,
}

impl Event {
    /// Returns the token of the descriptor's registration.
    pub fn token(self) -> u64 {
        self.token
    }

    // ANCHOR: is_readable
    /// Returns true if a read wouldn't block, because it would find bytes, the end or an error. The
    /// read can still block if another reader comes first or the kernel drops a damaged packet.
    ///
    /// A hang-up or an error makes both directions ready, as in asyncio's selector, so that readers
    /// and writers both get to see it. You needn't test for `EPOLLRDHUP`, which never comes without
    /// `EPOLLIN`.
    pub fn is_readable(self) -> bool {
        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | BROKEN)
    }
    // ANCHOR_END: is_readable

    /// Returns true if a write wouldn't block: there's room for at least part of the data, or the
    /// write would fail because of a hang-up or an error.
    pub fn is_writable(self) -> bool {
        self.has(libc::EPOLLOUT | BROKEN)
    }

    /// Returns true after a hang-up (`EPOLLHUP`, which the kernel always reports). No more bytes
    /// will arrive or leave, but the bytes that have arrived can still be read.
    ///
    /// There are exceptions: for example, a FIFO can get a new writer, and a TCP socket that isn't
    /// connected yet reports a hang-up although it can still be connected.
    pub fn is_hangup(self) -> bool {
        self.has(libc::EPOLLHUP)
    }

    /// Returns true if the peer of a stream socket will send no more or our end is shut down for
    /// reading (`EPOLLRDHUP`, reported only to readers). The peer may still be reading.
    pub fn is_read_hangup(self) -> bool {
        self.has(libc::EPOLLRDHUP)
    }

    /// Returns true if there's an error to fetch, or, on a pipe's writing end, if the reading end
    /// is closed (`EPOLLERR`, which the kernel always reports).
    pub fn is_error(self) -> bool {
        self.has(libc::EPOLLERR)
    }

    /// Returns true if the kernel has set at least one of these bits.
    fn has(self, bits: i32) -> bool {
        self.bits & bits.cast_unsigned() != 0
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (libc::EPOLLIN, "IN"),
            (libc::EPOLLOUT, "OUT"),
            (libc::EPOLLRDHUP, "RDHUP"),
            (libc::EPOLLHUP, "HUP"),
            (libc::EPOLLERR, "ERR"),
        ];
        let set = names.iter().filter(|(bit, _)| self.has(*bit));
        let set: Vec<&str> = set.map(|(_, name)| *name).collect();
        write!(f, "Event {{ token: {}, bits: {} }}", self.token, set.join(" | "))
    }
}

/// The events of the last wait, and the room for the events of the next wait.
///
/// Make one `Events` and pass it to every wait. Then no wait allocates memory for its events,
/// unless poll(2) or select(2) finds more events than there's room for.
pub struct Events {
    room: Vec<libc::epoll_event>,
    count: usize,
}

impl Events {
    /// Makes room for up to `capacity` events per wait, or for one event if `capacity` is zero. If
    /// more descriptors are ready, epoll's next wait reports the others first, whereas
    /// [`Poll`](crate::Poll) and [`Select`](crate::Select) make more room.
    pub fn with_capacity(capacity: usize) -> Self {
        let empty = libc::epoll_event { events: 0, u64: 0 };
        Events { room: vec![empty; capacity.max(1)], count: 0 }
    }

    /// Makes room for up to `capacity` events in the next wait, unless there's that much room
    /// already. The room at least doubles each time it grows, so many small requests are cheap.
    pub fn make_room(&mut self, capacity: usize) {
        if self.room.len() < capacity {
            let empty = libc::epoll_event { events: 0, u64: 0 };
            self.room.resize(capacity.max(2 * self.room.len()), empty);
        }
    }

    /// Returns the number of events that the last wait found.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if the last wait found no events, for example because it timed out or a signal
    /// ended it.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over the events.
    pub fn iter(&self) -> Iter<'_> {
        self.into_iter()
    }

    /// Discards the events and returns the room, which a system call then fills from the front.
    pub(crate) fn room(&mut self) -> &mut [libc::epoll_event] {
        self.count = 0;
        &mut self.room
    }

    /// Replaces the events with those of `found`, making more room if necessary.
    pub(crate) fn refill(&mut self, found: impl Iterator<Item = libc::epoll_event>) {
        self.count = 0;
        for event in found {
            match self.room.get_mut(self.count) {
                Some(slot) => *slot = event,
                None => self.room.push(event),
            }
            self.count += 1;
        }
    }

    /// Records the number of events that the kernel has written into the room.
    pub(crate) fn set_count(&mut self, count: usize) {
        self.count = count.min(self.room.len());
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'a> IntoIterator for &'a Events {
    type Item = Event;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        Iter { rest: self.room[..self.count].iter() }
    }
}

/// An iterator over the events in [`Events`], which returns copies.
#[derive(Clone)]
pub struct Iter<'a> {
    rest: std::slice::Iter<'a, libc::epoll_event>,
}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl Iterator for Iter<'_> {
    type Item = Event;

    // ANCHOR: next
    fn next(&mut self) -> Option<Event> {
        let raw = self.rest.next()?;
        // No code can borrow these fields on x86-64, because the kernel's struct is packed there.
        Some(Event { token: raw.u64, bits: raw.events })
    }
    // ANCHOR_END: next
}
