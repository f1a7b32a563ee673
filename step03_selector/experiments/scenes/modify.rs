//! The changes that modify makes, its results, and the cases in which it asks the kernel.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{socketpair, write};
use step03_selector::{EpollSelector, Interest, Selector};

use super::backends::{Log, handed_back, key, play_on_all, ready};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    modify_changes_interest,
    "modify is called with a new interest and then with new data alone. What does each call return?"
);
/// `modify to WRITABLE:     returns reader (READABLE)`: `modify` returns the key that it replaces.
/// From then on the selector waits for the new interest, and the socket is ready at once, because
/// it has room for bytes. The data is kept in the selector's own registry, so to change the data
/// alone, `modify` needs no system call: `[renamed WRITABLE]`. A descriptor that isn't registered
/// has no key to change, so `modify` fails with `NotFound`.
fn modify_changes_interest(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, change)
}

fn change(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let (near, _far) = socketpair()?;
    let unknown = selector.modify(&near, Interest::READABLE, "reader");
    say!(log, "modify before register: {}", handed_back(unknown));
    selector.register(&near, Interest::READABLE, "reader")?;
    selector.select(NOW, &mut found)?;
    say!(log, "register for READABLE:  ready: {}", ready(&found));
    let before = selector.modify(&near, Interest::WRITABLE, "writer")?;
    say!(log, "modify to WRITABLE:     returns {}", key(Some(&before)));
    selector.select(NOW, &mut found)?;
    say!(log, "                        ready: {}", ready(&found));
    let before = selector.modify(&near, Interest::WRITABLE, "renamed")?;
    say!(log, "modify the data alone:  returns {}", key(Some(&before)));
    selector.select(NOW, &mut found)?;
    say!(log, "                        ready: {}", ready(&found));
    Ok(())
}

scene!(
    modify_to_the_same,
    "modify sets the interest that a registration already has. Is the edge reported again?"
);
/// `modify to the same interest:      nothing`: an `EPOLL_CTL_MOD` makes the kernel check the
/// descriptor once more, and with five bytes unread it would report the edge again. The selector
/// compares the interest first and replaces only the data. For another interest it does call the
/// kernel, so the bytes are reported again, once:
/// `modify to another interest:       [Cid READABLE | WRITABLE]`.
fn modify_to_the_same(t: Transcript) -> anyhow::Result<()> {
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
