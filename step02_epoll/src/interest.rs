//! The directions to wait for on a descriptor, and how often the kernel reports that it's ready.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// The directions to wait for: reading, writing, both or none.
///
/// ```
/// use step02_epoll::Interest;
/// let both = Interest::READABLE | Interest::WRITABLE;
/// assert!(both.contains(Interest::READABLE));
/// assert_eq!(both - Interest::READABLE, Interest::WRITABLE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Interest(u8);

impl Interest {
    /// No direction. epoll and poll(2) still report a hang-up or an error, but select(2) doesn't.
    pub const NONE: Interest = Interest(0);
    /// Wait until a read wouldn't block; Python's `selectors.EVENT_READ`.
    pub const READABLE: Interest = Interest(1);
    /// Wait until a write wouldn't block; Python's `selectors.EVENT_WRITE`.
    pub const WRITABLE: Interest = Interest(2);

    /// Returns true if all directions of `other` are in `self`.
    pub const fn contains(self, other: Interest) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if there's no direction in `self`.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Interest {
    type Output = Interest;

    /// Returns the directions that are in `self` or in `other`.
    fn bitor(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }
}

impl BitOrAssign for Interest {
    fn bitor_assign(&mut self, other: Interest) {
        self.0 |= other.0;
    }
}

impl BitAnd for Interest {
    type Output = Interest;

    /// Returns the directions that are in both `self` and `other`.
    fn bitand(self, other: Interest) -> Interest {
        Interest(self.0 & other.0)
    }
}

impl Sub for Interest {
    type Output = Interest;

    /// Returns the directions that are in `self` but not in `other`.
    fn sub(self, other: Interest) -> Interest {
        Interest(self.0 & !other.0)
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.contains(Self::READABLE), self.contains(Self::WRITABLE)) {
            (true, true) => "READABLE | WRITABLE",
            (true, false) => "READABLE",
            (false, true) => "WRITABLE",
            (false, false) => "NONE",
        })
    }
}

// ANCHOR: trigger
/// The rule by which the kernel reports a ready descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trigger {
    /// Reports the descriptor in each wait while it's ready. asyncio uses only this trigger.
    #[default]
    Level,
    /// Reports the descriptor once after each change, so read or write until the call would block;
    /// epoll's `EPOLLET`.
    Edge,
    /// Reports the descriptor once, and not again until [`Epoll::modify`](crate::Epoll::modify)
    /// rearms the registration; epoll's `EPOLLONESHOT`.
    OneShot,
}
// ANCHOR_END: trigger

// ANCHOR: event_bits
/// Returns the bits that tell `epoll_ctl(2)` what to wait for and how often to report it.
///
/// A reader also wants to know when the peer will send no more (`EPOLLRDHUP`). The kernel reports
/// `EPOLLHUP` and `EPOLLERR` in any case, so it doesn't matter whether you set these bits. Set no
/// other bits: an event that the loop doesn't handle would make it spin.
pub(crate) fn event_bits(interest: Interest, trigger: Trigger) -> u32 {
    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    bits |= match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    bits.cast_unsigned()
}
// ANCHOR_END: event_bits
