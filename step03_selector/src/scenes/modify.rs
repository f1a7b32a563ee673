//! What modify changes, what it returns, and when it asks the kernel.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{socketpair, write};
use step03_selector::{EpollSelector, Interest, Selector};

use super::backends::{Log, handed_back, key, play_on_all, ready};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    modify_changes_interest,
    "modify is called with another interest, then with only other data. What does it return?"
);
/// A socket without bytes to read is registered to read. modify changes that to writing, and then
/// changes only the data.
fn modify_changes_interest(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, change)
}

fn change(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (near, _far) = socketpair()?;
    let unknown = selector.modify(&near, Interest::READABLE, "reader");
    log.say(format!("modify before register: {}", handed_back(unknown)));
    selector.register(&near, Interest::READABLE, "reader")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("register for READABLE:  ready: {}", ready(&found)));
    let before = selector.modify(&near, Interest::WRITABLE, "writer")?;
    log.say(format!("modify to WRITABLE:     returns {}", key(Some(&before))));
    selector.select(NOW, &mut found)?;
    log.say(format!("                        ready: {}", ready(&found)));
    let before = selector.modify(&near, Interest::WRITABLE, "renamed")?;
    log.say(format!("modify the data alone:  returns {}", key(Some(&before))));
    selector.select(NOW, &mut found)?;
    log.say(format!("                        ready: {}", ready(&found)));
    Ok(())
}

scene!(
    unchanged_modify_makes_no_call,
    "modify sets the interest that a registration already has. Is the edge reported again?"
);
/// The registration is edge-triggered, and every `EPOLL_CTL_MOD` rearms it. So an edge that is
/// reported twice shows that the kernel was called.
fn unchanged_modify_makes_no_call(t: Transcript) -> anyhow::Result<()> {
    let mut selector = EpollSelector::new()?;
    let mut found = Vec::new();
    let (near, far) = socketpair()?;
    selector.register_edge(&near, Interest::READABLE, "Ann")?;
    write(&far, b"hello")?;
    selector.select(NOW, &mut found)?;
    say!(t, "5 bytes arrive:                   {}", ready(&found));
    selector.modify(&near, Interest::READABLE, "Bob")?;
    selector.select(NOW, &mut found)?;
    say!(t, "modify to the same interest:      {}", ready(&found));
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.modify(&near, both, "Cid")?;
    selector.select(NOW, &mut found)?;
    say!(t, "modify to another interest:       {}", ready(&found));
    selector.select(NOW, &mut found)?;
    say!(t, "select again:                     {}", ready(&found));
    Ok(())
}
