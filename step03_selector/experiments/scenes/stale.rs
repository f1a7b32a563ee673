//! Registrations whose descriptor was closed without unregister.

use std::os::fd::AsRawFd;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step03_selector::{Interest, Selector};

use super::backends::{Log, handed_back, key, play_on_all, ready, registered};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    a_descriptor_twice,
    "A new pipe gets a closed descriptor's number, and then the old pipe is written to. Is the new pipe ready?"
);
/// `old is written to:  nothing`: on epoll, a duplicate keeps the old pipe's registration alive, so
/// the kernel does report the old pipe. But the event carries the old token, and since `unregister`
/// no key has that token, so the selector drops the event. On poll(2) and select(2), N simply means
/// the new pipe, which is empty. The new pipe's own events arrive:
/// `new is written to:  [new READABLE]`.
fn a_descriptor_twice(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, reuse)
}

fn reuse(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (old, old_writer) = pipe()?;
    let _duplicate = old.try_clone()?;
    let n = old.as_raw_fd();
    selector.register(&old, Interest::READABLE, "old")?;
    drop(old);

    let (new, new_writer) = pipe()?;
    let reused = if new.as_raw_fd() == n { "N" } else { "not N" };
    say!(log, "old was N and is closed, and a new pipe.r is {}", reused);
    say!(log, "  its key:            {}", key(selector.get_key(&new)));
    say!(log, "  unregister N:       {}", handed_back(selector.unregister(&new)));
    say!(log, "N is registered as new");
    selector.register(&new, Interest::READABLE, "new")?;
    write(&old_writer, b"for the old one")?;
    selector.select(NOW, &mut found)?;
    say!(log, "  old is written to:  {}", ready(&found));
    write(&new_writer, b"for the new one")?;
    selector.select(NOW, &mut found)?;
    say!(log, "  new is written to:  {}", ready(&found));
    Ok(())
}

scene!(
    closed_without_unregister,
    "A registered descriptor is closed. Is its key gone, and does select still report the others?"
);
/// `register it as new:                AlreadyExists`: the new pipe got the number of `gone`, whose
/// key is still in the registry, because a close doesn't tell the selector. The error is useful,
/// since it comes early and names the number. `other` is reported all the same, on poll(2) and
/// select(2), too: their selectors take a closed number off the list that they pass to the kernel.
/// So one careless close doesn't stop a server.
fn closed_without_unregister(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, close_one)
}

fn close_one(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (gone, _gone_writer) = pipe()?;
    let (other, other_writer) = pipe()?;
    selector.register(&gone, Interest::READABLE, "gone")?;
    selector.register(&other, Interest::READABLE, "other")?;
    drop(gone);
    write(&other_writer, b"hello")?;
    selector.select(NOW, &mut found)?;
    say!(log, "gone is closed, other is written to: {}", ready(&found));

    let (new, new_writer) = pipe()?;
    say!(log, "the key that a new pipe finds:       {}", key(selector.get_key(&new)));
    let refused = selector.register(&new, Interest::READABLE, "new");
    say!(log, "  register it as new:                {}", registered(refused));
    say!(log, "  unregister it:                     {}", handed_back(selector.unregister(&new)));
    let again = selector.register(&new, Interest::READABLE, "new");
    say!(log, "  register it as new:                {}", registered(again));
    write(&new_writer, b"hello")?;
    selector.select(NOW, &mut found)?;
    say!(log, "new is written to, too:              {}", ready(&found));
    Ok(())
}
