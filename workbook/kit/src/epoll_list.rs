//! The descriptors on an epoll object's interest list, as the kernel shows them in `/proc`; see
//! `proc_pid_fdinfo(5)`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;

use crate::check::check;

/// An entry of an epoll object's interest list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The descriptor's number when it was added. Since then, the number may have been reused for a
    /// different object.
    pub number: i32,
    /// The events that the entry waits for: the bits of `epoll_event.events`, including EPOLLHUP
    /// and EPOLLERR, which the kernel adds automatically.
    pub events: u32,
    /// The token that the entry's events will carry.
    pub token: u64,
}

impl Entry {
    /// Returns true if the entry's `events` include all of these bits.
    pub fn waits_for(&self, bits: libc::c_int) -> bool {
        self.events & bits.cast_unsigned() == bits.cast_unsigned()
    }
}

/// Returns an epoll object's interest list, sorted by descriptor.
pub fn epoll_list(epoll: impl AsFd) -> anyhow::Result<Vec<Entry>> {
    let file = format!("/proc/self/fdinfo/{}", epoll.as_fd().as_raw_fd());
    let text = fs::read_to_string(&file).with_context(|| format!("read {file}"))?;
    let lines = text.lines().filter(|line| line.starts_with("tfd:"));
    let entries = lines.map(|line| parse(line).with_context(|| format!("{file}: {line}")));
    let mut entries = entries.collect::<anyhow::Result<Vec<_>>>()?;
    entries.sort_unstable();
    Ok(entries)
}

/// Adds a descriptor to an epoll object's interest list without the knowledge of the code that
/// manages the list. The effect is the same as if that code had left an old entry behind. The entry
/// waits for `events` and has the token `token`.
pub fn add_to_epoll_list(
    epoll: impl AsFd,
    fd: impl AsFd,
    events: libc::c_int,
    token: u64,
) -> io::Result<()> {
    let mut event = libc::epoll_event { events: events.cast_unsigned(), u64: token };
    let (epoll, fd) = (epoll.as_fd().as_raw_fd(), fd.as_fd().as_raw_fd());
    // SAFETY: `event` is a valid epoll_event; the kernel copies it before it returns.
    let added = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) };
    check(added, "epoll_ctl ADD")?;
    Ok(())
}

/// Parses a line such as `tfd: 5 events: 19 data: 5 pos:0 ino:1 sdev:e`, in which the events and
/// the data are hexadecimal.
fn parse(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let mut after = |name: &str| words.find(|word| *word == name).and_then(|_| words.next());
    Some(Entry {
        number: after("tfd:")?.parse().ok()?,
        events: u32::from_str_radix(after("events:")?, 16).ok()?,
        token: u64::from_str_radix(after("data:")?, 16).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_parsed_with_its_hexadecimal_fields() {
        let line = "tfd:       11 events: 80000019 data:        10000000b  pos:0 ino:e sdev:d";
        let entry = parse(line).expect("an entry");
        assert_eq!((entry.number, entry.token), (11, 0x1_0000_000b));
        assert!(entry.waits_for(libc::EPOLLIN | libc::EPOLLET));
        assert!(!entry.waits_for(libc::EPOLLOUT));
    }
}
