//! What to wait for on a descriptor, and how often to hear of it.

use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// The directions one waits for: reading, writing, both or none.
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
    /// Neither. The kernel still reports a hang-up or an error.
    pub const NONE: Interest = Interest(0);
    /// A read would not block. (asyncio: `EVENT_READ`)
    pub const READABLE: Interest = Interest(1);
    /// A write would not block. (asyncio: `EVENT_WRITE`)
    pub const WRITABLE: Interest = Interest(2);

    /// Whether all directions of `other` are among these.
    pub const fn contains(self, other: Interest) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is no direction at all.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Interest {
    type Output = Interest;

    /// The directions of either.
    fn bitor(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }
}

impl BitAnd for Interest {
    type Output = Interest;

    /// The directions of both.
    fn bitand(self, other: Interest) -> Interest {
        Interest(self.0 & other.0)
    }
}

impl Sub for Interest {
    type Output = Interest;

    /// The directions of the first that are not among the second's.
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

/// How often the kernel reports a descriptor that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trigger {
    /// In every wait, for as long as it is ready. (asyncio knows this one alone.)
    #[default]
    Level,
    /// Once each time something new happens. Whoever is told must go on until it would block, for
    /// what is left over is not reported again. (`EPOLLET`)
    Edge,
    /// Once; then never, until [`Epoll::modify`](crate::Epoll::modify) arms it again.
    /// (`EPOLLONESHOT`)
    OneShot,
}

// ANCHOR: event_bits
/// The bits with which `epoll_ctl(2)` is told what to wait for, and how.
///
/// Who wants to read also wants to know that the other side will send no more (`EPOLLRDHUP`).
/// `EPOLLHUP` and `EPOLLERR` need no asking: the kernel always reports them.
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
