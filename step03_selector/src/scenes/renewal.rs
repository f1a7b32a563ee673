//! Registrations that change, and numbers that come back.

use std::os::fd::AsRawFd;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, socketpair, write};
use step03_selector::{EpollSelector, Interest, Selector};

use super::backends::{Log, handed_back, key, play_on_all, ready, registered};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(reused_descriptor, "A descriptor is closed, its number comes back. Whose events are these?");
/// The old pipe lives on in a duplicate, and epoll still reports it, under its old number. It must
/// not be taken for the new pipe.
fn reused_descriptor(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, reuse)
}

fn reuse(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (old, old_writer) = pipe()?;
    let _duplicate = old.try_clone()?;
    let number = old.as_raw_fd();
    selector.register(&old, Interest::READABLE, "old")?;
    drop(old);

    let (new, new_writer) = pipe()?;
    log.say(format!("the number is back: {}", new.as_raw_fd() == number));
    log.say(format!("its key:            {}", key(selector.get_key(&new))));
    let forgotten = handed_back(selector.unregister(&new));
    log.say(format!("forget it:          {forgotten}"));
    selector.register(&new, Interest::READABLE, "new")?;
    write(&old_writer, b"for the old one")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("old is written to:  {}", ready(&found)));
    write(&new_writer, b"for the new one")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("new is written to:  {}", ready(&found)));
    Ok(())
}

scene!(
    closed_without_unregister,
    "A registered descriptor is closed. What becomes of the others, and of its key?"
);
/// The kernel takes note of a close and tells nobody: epoll drops the registration, poll(2) marks the
/// number, select(2) fails as a whole. Whoever else is ready must be found all the same. And the key
/// stays, for the selector cannot know: the next owner of the number meets it.
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
    log.say(format!("one is closed, the other speaks: {}", ready(&found)));

    let (new, new_writer) = pipe()?;
    log.say(format!("the number is back, its key:     {}", key(selector.get_key(&new))));
    let refused = selector.register(&new, Interest::READABLE, "new");
    log.say(format!("register the new one:            {}", registered(refused)));
    log.say(format!("unregister it:                   {}", handed_back(selector.unregister(&new))));
    let taken = selector.register(&new, Interest::READABLE, "new");
    log.say(format!("now register it:                 {}", registered(taken)));
    write(&new_writer, b"hello")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("both speak:                      {}", ready(&found)));
    Ok(())
}

scene!(
    modify_changes_interest,
    "First read, then write: what does modify change, and what does it hand back?"
);
/// modify hands back the key as it was, so that whoever borrows a registration can put it back.
fn modify_changes_interest(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, change)
}

fn change(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (near, _far) = socketpair()?;
    let stranger = selector.modify(&near, Interest::READABLE, "nobody");
    log.say(format!("a stranger:        {}", handed_back(stranger)));
    selector.register(&near, Interest::READABLE, "reader")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("ready:             {}", ready(&found)));
    let before = selector.modify(&near, Interest::WRITABLE, "writer")?;
    log.say(format!("to write instead:  was {}", key(Some(&before))));
    selector.select(NOW, &mut found)?;
    log.say(format!("ready:             {}", ready(&found)));
    let before = selector.modify(&near, Interest::WRITABLE, "somebody else")?;
    log.say(format!("only another name: was {}", key(Some(&before))));
    selector.select(NOW, &mut found)?;
    log.say(format!("ready:             {}", ready(&found)));
    Ok(())
}

scene!(
    unchanged_modify_makes_no_call,
    "modify to the interest it has already: is the kernel asked?"
);
/// Every modification in the kernel arms an edge-triggered registration anew. So an edge that is
/// reported again would give away that the kernel was asked.
fn unchanged_modify_makes_no_call(t: Transcript) -> anyhow::Result<()> {
    let mut selector = EpollSelector::new()?;
    let mut found = Vec::new();
    let (near, far) = socketpair()?;
    selector.register_edge(&near, Interest::READABLE, "Ann")?;
    write(&far, b"hello")?;
    selector.select(NOW, &mut found)?;
    say!(t, "hello came:         {}", ready(&found));
    selector.modify(&near, Interest::READABLE, "Bob")?;
    selector.select(NOW, &mut found)?;
    say!(t, "the same interest:  {}", ready(&found));
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.modify(&near, both, "Cid")?;
    selector.select(NOW, &mut found)?;
    say!(t, "another interest:   {}", ready(&found));
    selector.select(NOW, &mut found)?;
    say!(t, "still edges:        {}", ready(&found));
    Ok(())
}
