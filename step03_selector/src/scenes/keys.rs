//! What a selector remembers, what it refuses, and how it forgets.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use anyhow::Context;
use rustix::process::{Resource, getrlimit, setrlimit};
use scene::{Transcript, say, scene};
use step01_fd::pipe;
use step02_epoll::Select;
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::{Log, handed_back, key, play_on_all, registered};

scene!(register_and_get_key, "What does a selector remember, and what does it refuse?");
/// The selector keeps what epoll does not: who waits. It knows each descriptor once.
fn register_and_get_key(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, keys)
}

fn keys(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let first = selector.register(&reader, Interest::READABLE, "Ann");
    log.say(format!("Ann, to read:        {}", registered(first)));
    let again = selector.register(&reader, Interest::READABLE, "Bob");
    log.say(format!("Bob, the same one:   {}", registered(again)));
    let nothing = selector.register(&writer, Interest::NONE, "Cid");
    log.say(format!("Cid, for nothing:    {}", registered(nothing)));
    log.say(format!("key of the reader:   {}", key(selector.get_key(&reader))));
    log.say(format!("key of the writer:   {}", key(selector.get_key(&writer))));
    Ok(())
}

scene!(where_backends_differ, "A regular file, and a number that is large: who takes them?");
/// A regular file is always ready, say poll(2) and select(2), and a loop that believed it would
/// spin. epoll refuses the question. And select(2) has a bit for each number below 1024, and none
/// for the others. What was refused leaves no key behind.
fn where_backends_differ(t: Transcript) -> anyhow::Result<()> {
    t.say("epoll:");
    register_both(t, &mut EpollSelector::new()?)?;
    t.say("poll(2):");
    register_both(t, &mut PollSelector::new())?;
    t.say("select(2):");
    register_both(t, &mut SelectSelector::new())
}

fn register_both(t: Transcript, selector: &mut impl Selector<&'static str>) -> anyhow::Result<()> {
    let file = File::open("/proc/self/exe")?;
    let outcome = selector.register(&file, Interest::READABLE, "file");
    say!(t, "  a regular file: {}", registered(outcome));
    say!(t, "    its key:      {}", key(selector.get_key(&file)));
    let (reader, _writer) = pipe()?;
    let high = duplicate_above(&reader, Select::LIMIT)?;
    let outcome = selector.register(&high, Interest::READABLE, "high");
    say!(t, "  number {}:    {}", high.as_raw_fd(), registered(outcome));
    say!(t, "    its key:      {}", key(selector.get_key(&high)));
    Ok(())
}

/// Another number for the same object: the lowest free one that is not below `least`.
fn duplicate_above(fd: impl AsFd, least: i32) -> anyhow::Result<OwnedFd> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("raise the soft limit of descriptors")?;
    let duplicate = rustix::io::fcntl_dupfd_cloexec(fd, least);
    duplicate.with_context(|| format!("a descriptor of number {least}"))
}

scene!(
    unregister_errors,
    "A stranger, a known one, a closed one: what does unregister say to each?"
);
/// Whoever wants a descriptor forgotten gets it forgotten, even if the kernel was quicker: it
/// forgets what is closed.
fn unregister_errors(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, forget)
}

fn forget(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (old, _old_writer) = pipe()?;
    let number = old.as_raw_fd();
    log.say(format!("unregister a stranger: {}", handed_back(selector.unregister(&old))));
    selector.register(&old, Interest::READABLE, "Ann")?;
    log.say(format!("registered, then not:  {}", handed_back(selector.unregister(&old))));
    log.say(format!("its key:               {}", key(selector.get_key(&old))));
    log.say(format!("once more:             {}", handed_back(selector.unregister(&old))));
    let again = selector.register(&old, Interest::READABLE, "Bob");
    log.say(format!("register it again:     {}", registered(again)));
    drop(old);

    let (new, _new_writer) = pipe()?;
    log.say(format!("closed, and the number is back: {}", new.as_raw_fd() == number));
    log.say(format!("its key:               {}", key(selector.get_key(&new))));
    log.say(format!("unregister it:         {}", handed_back(selector.unregister(&new))));
    log.say(format!("its key:               {}", key(selector.get_key(&new))));
    let new_one = selector.register(&new, Interest::READABLE, "Cid");
    log.say(format!("register the new one:  {}", registered(new_one)));
    drop(new);

    let file = File::open("/proc/self/exe")?;
    log.say(format!("closed, and the number is a file's: {}", file.as_raw_fd() == number));
    log.say(format!("unregister it:         {}", handed_back(selector.unregister(&file))));
    Ok(())
}
