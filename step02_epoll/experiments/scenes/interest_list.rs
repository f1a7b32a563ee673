//! The entries that an epoll keeps, read from `/proc/self/fdinfo` and not from our layer.

use std::fs;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{Kind, open_descriptors, pipe, socketpair, what_is};
use step02_epoll::{Epoll, Interest, Trigger};

scene!(
    interest_list_entries,
    "Which bits does the kernel keep for each registration, beyond those that were asked for?"
);
/// `pair.b, NONE, Level:     ERR|HUP, token 0`: we asked for nothing, but the kernel adds errors
/// and hang-ups to every registration, and you can't decline them. Two entries have token 7,
/// because the kernel doesn't care what a token means and only returns it with the events.
/// `pipe.w is closed:        2 entries`: a delete removes an entry, and so does closing the last
/// descriptor of the registered object.
fn interest_list_entries(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    say!(t, "a new epoll: {}, {} entries", what_is(&epoll)?, entries(&epoll)?.len());
    let (reader, writer) = pipe()?;
    let (left, right) = socketpair()?;
    let both = Interest::READABLE | Interest::WRITABLE;
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
    epoll.add(&writer, 7, Interest::WRITABLE, Trigger::Edge)?;
    epoll.add(&left, u64::MAX, both, Trigger::OneShot)?;
    epoll.add(&right, 0, Interest::NONE, Trigger::Level)?;
    say!(t, "pipe.r, READABLE, Level: {}", entry(&epoll, &reader)?);
    say!(t, "pipe.w, WRITABLE, Edge:  {}", entry(&epoll, &writer)?);
    say!(t, "pair.a, both, OneShot:   {}", entry(&epoll, &left)?);
    say!(t, "pair.b, NONE, Level:     {}", entry(&epoll, &right)?);
    epoll.modify(&right, 1, Interest::READABLE, Trigger::Level)?;
    say!(t, "pair.b, now READABLE:    {}", entry(&epoll, &right)?);
    epoll.delete(&left)?;
    say!(t, "pair.a is deleted:       {}", entry(&epoll, &left)?);
    drop(writer);
    say!(t, "pipe.w is closed:        {} entries", entries(&epoll)?.len());
    Ok(())
}

scene!(
    descriptors_of_a_loop,
    "Which descriptors does an event loop open before its first client connects, and which of them does it watch?"
);
/// `its epoll watches the first socket`: besides the epoll object, a new loop opens a pair of
/// connected sockets and registers one of them. A byte written to the other end wakes the loop,
/// even from another thread. That's the self-pipe of step 05.
/// `a server adds 1 descriptor, and its epoll watches 2`, the pair's socket and the listener. The
/// Python twin finds the same descriptors in asyncio's loop.
fn descriptors_of_a_loop(t: Transcript) -> anyhow::Result<()> {
    let before = open_descriptors()?;
    let epoll = Epoll::new()?;
    let (near, far) = socketpair()?;
    epoll.add(&near, 0, Interest::READABLE, Trigger::Level)?;

    say!(t, "a new loop opens");
    let mut open = open_descriptors()?;
    open.retain(|descriptor| !before.contains(descriptor));
    for (_, kind) in &open {
        say!(t, "  {}", label(kind));
    }
    let watched: Vec<RawFd> = entries(&epoll)?.iter().map(|entry| entry.fd).collect();
    let first = watched == [near.as_raw_fd()];
    say!(t, "its epoll watches {}", if first { "the first socket" } else { "something else" });

    let listener = TcpListener::bind("127.0.0.1:0")?;
    epoll.add(&listener, 1, Interest::READABLE, Trigger::Level)?;
    let more = open_descriptors()?.len() - before.len() - open.len();
    say!(t, "a server adds {} descriptor, and its epoll watches {}", more, entries(&epoll)?.len());
    drop(far);
    Ok(())
}

fn label(kind: &Kind) -> String {
    match kind {
        Kind::Socket { .. } => "socket:[N]".to_string(),
        other => other.to_string(),
    }
}

/// One line of an epoll's `/proc/self/fdinfo`. See `proc_pid_fdinfo(5)`.
pub(crate) struct Entry {
    pub(crate) fd: RawFd,
    pub(crate) mask: u32,
    pub(crate) token: u64,
}

pub(crate) fn entries(epoll: &Epoll) -> anyhow::Result<Vec<Entry>> {
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
        fd: after("tfd:")?.parse().ok()?,
        mask: u32::from_str_radix(after("events:")?, 16).ok()?,
        token: u64::from_str_radix(after("data:")?, 16).ok()?,
    })
}

fn entry(epoll: &Epoll, fd: impl AsFd) -> anyhow::Result<String> {
    let fd = fd.as_fd().as_raw_fd();
    let entries = entries(epoll)?;
    let found = entries.iter().find(|entry| entry.fd == fd);
    Ok(found.map_or_else(|| "no entry".to_string(), |entry| in_bits(entry.mask, entry.token)))
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
    let token = if token == u64::MAX { "u64::MAX".to_string() } else { token.to_string() };
    format!("{}, token {token}", set.join("|"))
}
