//! The descriptors that register and unregister accept, and the descriptors that they refuse.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use anyhow::Context;
use rustix::process::{Resource, getrlimit, setrlimit};
use scene::{Transcript, say, scene};
use step01_fd::pipe;
use step02_epoll::Select;
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::{Log, handed_back, key, play_on_all, registered};

scene!(
    register_and_get_key,
    "Can a descriptor be registered twice, or for nothing? What does get_key return in each case?"
);
/// `Bob registers pipe.r, READABLE: AlreadyExists`: the registry keeps one key per descriptor, and
/// if Bob's key replaced Ann's, Ann would get no more events. Cid gets `InvalidInput`, because with
/// no direction there's nothing that `select` could report to him. A call that fails changes
/// nothing, so `the key of pipe.r:              Ann (READABLE)`.
fn register_and_get_key(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, keys)
}

fn keys(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let first = selector.register(&reader, Interest::READABLE, "Ann");
    say!(log, "Ann registers pipe.r, READABLE: {}", registered(first));
    let again = selector.register(&reader, Interest::READABLE, "Bob");
    say!(log, "Bob registers pipe.r, READABLE: {}", registered(again));
    let nothing = selector.register(&writer, Interest::NONE, "Cid");
    say!(log, "Cid registers pipe.w, NONE:     {}", registered(nothing));
    say!(log, "the key of pipe.r:              {}", key(selector.get_key(&reader)));
    say!(log, "the key of pipe.w:              {}", key(selector.get_key(&writer)));
    Ok(())
}

scene!(
    where_backends_differ,
    "Which of epoll, poll(2) and select(2) accept a regular file, and which accept descriptor 1024?"
);
/// `a regular file:  PermissionDenied`, on epoll only: a file on a disk has no moment at which its
/// bytes arrive, so epoll refuses it. poll(2) and select(2) take the file and report it as ready
/// each time, so a loop that waits for it spins. `descriptor 1024: InvalidInput`, on select(2)
/// only: its sets are bits in an array, with room for the numbers 0 to 1023. A descriptor that's
/// refused leaves no key behind.
fn where_backends_differ(t: Transcript) -> anyhow::Result<()> {
    say!(t, "epoll");
    register_both(t, &mut EpollSelector::new()?)?;
    say!(t, "poll(2)");
    register_both(t, &mut PollSelector::new())?;
    say!(t, "select(2)");
    register_both(t, &mut SelectSelector::new())
}

fn register_both(t: Transcript, selector: &mut impl Selector<&'static str>) -> anyhow::Result<()> {
    let file = File::open("/proc/self/exe")?;
    let outcome = selector.register(&file, Interest::READABLE, "file");
    say!(t, "  a regular file:  {}", registered(outcome));
    say!(t, "    its key:       {}", key(selector.get_key(&file)));
    let (reader, _writer) = pipe()?;
    let high = duplicate_above(&reader, Select::LIMIT)?;
    let outcome = selector.register(&high, Interest::READABLE, "high");
    say!(t, "  descriptor {}: {}", high.as_raw_fd(), registered(outcome));
    say!(t, "    its key:       {}", key(selector.get_key(&high)));
    Ok(())
}

/// Duplicates `fd` to the lowest free descriptor that isn't below `least`.
fn duplicate_above(fd: impl AsFd, least: i32) -> anyhow::Result<OwnedFd> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("raise the soft limit of descriptors")?;
    let duplicate = rustix::io::fcntl_dupfd_cloexec(fd, least);
    duplicate.with_context(|| format!("a descriptor no lower than {least}"))
}

scene!(
    unregister_errors,
    "unregister is called before register, twice, or after a close. Which of these is an error?"
);
/// `unregister N:                 Bob (READABLE)`, although Bob's pipe was closed and N names
/// another pipe. The selector removes the key that's filed under the number. epoll dropped Bob's
/// entry when his pipe was closed, so its deletion fails with `ENOENT` (or `EPERM` for a file), and
/// the selector ignores that. If it passed the error on and kept the key, N could never be
/// registered again.
fn unregister_errors(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, unregister)
}

fn unregister(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (old, _old_writer) = pipe()?;
    let n = old.as_raw_fd();
    say!(log, "unregister N before register:   {}", handed_back(selector.unregister(&old)));
    selector.register(&old, Interest::READABLE, "Ann")?;
    say!(log, "register N as Ann, unregister:  {}", handed_back(selector.unregister(&old)));
    say!(log, "  its key:                      {}", key(selector.get_key(&old)));
    say!(log, "unregister N again:             {}", handed_back(selector.unregister(&old)));
    let again = selector.register(&old, Interest::READABLE, "Bob");
    say!(log, "register N as Bob:              {}", registered(again));
    drop(old);

    let (new, _new_writer) = pipe()?;
    say!(log, "N is closed, and a new pipe.r is {}", same(&new, n));
    say!(log, "  its key:                      {}", key(selector.get_key(&new)));
    say!(log, "  unregister N:                 {}", handed_back(selector.unregister(&new)));
    say!(log, "  its key:                      {}", key(selector.get_key(&new)));
    let new_one = selector.register(&new, Interest::READABLE, "Cid");
    say!(log, "  register N as Cid:            {}", registered(new_one));
    drop(new);

    let file = File::open("/proc/self/exe")?;
    say!(log, "N is closed, and a regular file is {}", same(&file, n));
    say!(log, "  unregister N:                 {}", handed_back(selector.unregister(&file)));
    Ok(())
}

/// Says whether `fd` is descriptor N.
fn same(fd: &impl AsRawFd, n: RawFd) -> &'static str {
    if fd.as_raw_fd() == n { "N" } else { "not N" }
}
