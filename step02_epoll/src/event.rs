//! What came: the events of one wait.

use std::fmt;

/// The bits that mean "this descriptor is finished", one way or another.
const BROKEN: i32 = libc::EPOLLHUP | libc::EPOLLERR;

/// One descriptor on which something happened.
///
/// A copy of the kernel's `epoll_event`, whose fields nobody may borrow where it is packed:
///
/// ```compile_fail,E0793
/// let raw = libc::epoll_event { events: 0, u64: 7 };
/// let token = &raw.u64;
/// # #[cfg(not(target_arch = "x86_64"))]
/// # compile_error!("it is packed on x86-64 alone");
/// ```
#[derive(Clone, Copy)]
pub struct Event {
    token: u64,
    bits: u32,
}

impl Event {
    /// The number given at registration.
    pub fn token(self) -> u64 {
        self.token
    }

    // ANCHOR: is_readable
    /// A read would not block: there are bytes, or the end, or an error to fetch.
    ///
    /// A hang-up and an error count for every direction, as in asyncio's selector: whoever waits,
    /// to read or to write, has to find out.
    pub fn is_readable(self) -> bool {
        self.has(libc::EPOLLIN | libc::EPOLLPRI | libc::EPOLLRDHUP | BROKEN)
    }
    // ANCHOR_END: is_readable

    /// A write would not block: there is room, or an error to fetch.
    pub fn is_writable(self) -> bool {
        self.has(libc::EPOLLOUT | BROKEN)
    }

    /// Nothing will ever come or go here again (`EPOLLHUP`). Reported unasked.
    pub fn is_hangup(self) -> bool {
        self.has(libc::EPOLLHUP)
    }

    /// The other side will send no more, though it may still listen (`EPOLLRDHUP`).
    pub fn is_read_hangup(self) -> bool {
        self.has(libc::EPOLLRDHUP)
    }

    /// The descriptor failed, or nobody is left to read what is written (`EPOLLERR`). Reported
    /// unasked.
    pub fn is_error(self) -> bool {
        self.has(libc::EPOLLERR)
    }

    fn has(self, bits: i32) -> bool {
        self.bits & bits.cast_unsigned() != 0
    }

    // ANCHOR: copied
    /// Copies the kernel's struct. It is packed on x86-64 (and there alone), so nobody may borrow
    /// its fields; a copy is an ordinary struct.
    fn copied(raw: libc::epoll_event) -> Event {
        Event { token: raw.u64, bits: raw.events }
    }
    // ANCHOR_END: copied
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

/// The events of one wait, and the room for those of the next.
///
/// Make it once and hand it to every wait; nothing is allocated in between.
pub struct Events {
    room: Vec<libc::epoll_event>,
    count: usize,
}

impl Events {
    /// Room for up to `capacity` events a wait, and for at least one. If more descriptors are
    /// ready, the next wait reports the others first.
    pub fn with_capacity(capacity: usize) -> Self {
        let empty = libc::epoll_event { events: 0, u64: 0 };
        Events { room: vec![empty; capacity.max(1)], count: 0 }
    }

    /// How many events the last wait brought.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the last wait brought none: its time was up, or a signal came.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The events, one by one.
    pub fn iter(&self) -> Iter<'_> {
        Iter { rest: self.room[..self.count].iter() }
    }

    /// The room, for a call that fills it from the front.
    pub(crate) fn room(&mut self) -> &mut [libc::epoll_event] {
        self.count = 0;
        &mut self.room
    }

    /// Replaces the events by those of `found`, and makes more room if it takes more.
    pub(crate) fn refill(&mut self, found: impl Iterator<Item = libc::epoll_event>) {
        self.count = 0;
        for event in found {
            match self.room.get_mut(self.count) {
                Some(place) => *place = event,
                None => self.room.push(event),
            }
            self.count += 1;
        }
    }

    /// How many of the room's events are real now.
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
        self.iter()
    }
}

/// Iterator over [`Events`], by copy.
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

    fn next(&mut self) -> Option<Event> {
        self.rest.next().copied().map(Event::copied)
    }
}
