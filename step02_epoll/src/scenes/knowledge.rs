//! What epoll knows: read from the kernel, not from our layer.

use std::fs;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{Kind, open_descriptors, pipe, socketpair, what_is};
use step02_epoll::{Epoll, Interest, Trigger};

scene!(what_epoll_knows, "What does the kernel keep for each descriptor on the list?");
/// A number, a mask and a token an entry. No callback, no task, no name: whoever wants those keeps
/// them in user space, under the token. Two entries may have the same one.
fn what_epoll_knows(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    say!(t, "epoll names {}, entries: {}", what_is(&epoll)?, entries(&epoll)?.len());
    let (reader, writer) = pipe()?;
    let (left, right) = socketpair()?;
    let both = Interest::READABLE | Interest::WRITABLE;
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
    epoll.add(&writer, 7, Interest::WRITABLE, Trigger::Edge)?;
    epoll.add(&left, u64::MAX, both, Trigger::OneShot)?;
    epoll.add(&right, 0, Interest::NONE, Trigger::Level)?;
    say!(t, "pipe.r, to read, level:   {}", entry(&epoll, &reader)?);
    say!(t, "pipe.w, to write, edge:   {}", entry(&epoll, &writer)?);
    say!(t, "pair.a, both, one-shot:   {}", entry(&epoll, &left)?);
    say!(t, "pair.b, nothing:          {}", entry(&epoll, &right)?);
    epoll.modify(&right, 1, Interest::READABLE, Trigger::Level)?;
    say!(t, "pair.b, modified to read: {}", entry(&epoll, &right)?);
    epoll.delete(&left)?;
    say!(t, "pair.a, deleted:          {}", entry(&epoll, &left)?);
    drop(writer);
    say!(t, "pipe.w closed, entries:   {}", entries(&epoll)?.len());
    Ok(())
}

scene!(descriptors_of_a_loop, "What does a loop have open before it serves anybody?");
/// What a loop has before it serves anybody. On CPython, asyncio has the same, in the same order.
fn descriptors_of_a_loop(t: Transcript) -> anyhow::Result<()> {
    let before = open_descriptors()?;
    let epoll = Epoll::new()?;
    let (near, far) = socketpair()?;
    epoll.add(&near, 0, Interest::READABLE, Trigger::Level)?;

    say!(t, "a loop that serves nobody has open, beside what was");
    let mut open = open_descriptors()?;
    open.retain(|descriptor| !before.contains(descriptor));
    for (_, kind) in &open {
        say!(t, "  {}", label(kind));
    }
    let watched: Vec<RawFd> = entries(&epoll)?.iter().map(|entry| entry.number).collect();
    say!(t, "epoll watches the first socket: {}", watched == [near.as_raw_fd()]);

    let listener = TcpListener::bind("127.0.0.1:0")?;
    epoll.add(&listener, 1, Interest::READABLE, Trigger::Level)?;
    let more = open_descriptors()?.len() - before.len() - open.len();
    say!(t, "with a server: {more} more, and epoll watches {}", entries(&epoll)?.len());
    drop(far);
    Ok(())
}

fn label(kind: &Kind) -> String {
    match kind {
        Kind::Socket { .. } => "socket:[N]".to_string(),
        other => other.to_string(),
    }
}

/// One line of `/proc/self/fdinfo` of an epoll object. See `proc_pid_fdinfo(5)`.
struct Entry {
    number: RawFd,
    mask: u32,
    token: u64,
}

fn entries(epoll: &Epoll) -> anyhow::Result<Vec<Entry>> {
    let path = format!("/proc/self/fdinfo/{}", epoll.as_fd().as_raw_fd());
    let info = fs::read_to_string(&path).with_context(|| path.clone())?;
    let lines = info.lines().filter(|line| line.starts_with("tfd:"));
    lines.map(|line| parse(line).with_context(|| line.to_string())).collect()
}

/// `tfd:        5 events:     2019 data:                7  pos:0 ino:… sdev:…`
fn parse(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let mut after = |name| words.find(|word| *word == name).and_then(|_| words.next());
    Some(Entry {
        number: after("tfd:")?.parse().ok()?,
        mask: u32::from_str_radix(after("events:")?, 16).ok()?,
        token: u64::from_str_radix(after("data:")?, 16).ok()?,
    })
}

fn entry(epoll: &Epoll, fd: impl AsFd) -> anyhow::Result<String> {
    let number = fd.as_fd().as_raw_fd();
    let entries = entries(epoll)?;
    let found = entries.iter().find(|entry| entry.number == number);
    Ok(found.map_or_else(|| "not there".to_string(), |entry| in_bits(entry.mask, entry.token)))
}

fn in_bits(mask: u32, token: u64) -> String {
    let names = [
        (libc::EPOLLIN, "IN"),
        (libc::EPOLLRDHUP, "RDHUP"),
        (libc::EPOLLOUT, "OUT"),
        (libc::EPOLLERR, "ERR"),
        (libc::EPOLLHUP, "HUP"),
        (libc::EPOLLET, "ET"),
        (libc::EPOLLONESHOT, "ONESHOT"),
    ];
    let set = names.iter().filter(|(bit, _)| mask & bit.cast_unsigned() != 0);
    let set: Vec<&str> = set.map(|(_, name)| *name).collect();
    format!("{}, token {token:x}", set.join(" | "))
}
