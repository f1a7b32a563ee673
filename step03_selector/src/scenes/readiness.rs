//! What select brings.

use std::time::Duration;

use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, PollSelector, Selector};
use workbook::Transcript;

use super::both::{Log, play_both, ready};

const NOW: Option<Duration> = Some(Duration::ZERO);

/// Those who are ready come back, each with its data and with that part of its interest for which
/// it is ready.
pub(crate) fn one_select(t: &mut Transcript) -> anyhow::Result<()> {
    let (mut epoll, mut poll) = (EpollSelector::new()?, PollSelector::new());
    play_both(t, |log| three_wait(&mut epoll, log), |log| three_wait(&mut poll, log))
}

fn three_wait(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (quiet, _writer) = pipe()?;
    let (near, far) = socketpair()?;
    selector.register(&quiet, Interest::READABLE, "quiet")?;
    selector.register(&near, Interest::READABLE | Interest::WRITABLE, "near")?;
    selector.register(&far, Interest::READABLE, "far")?;
    let mut found = Vec::new();
    selector.select(NOW, &mut found)?;
    log.say(format!("at first:     {}", ready(&found)));
    write(&near, b"hello")?;
    write(&far, b"hello")?;
    selector.select(None, &mut found)?;
    log.say(format!("both spoke:   {}", ready(&found)));
    read(&far, &mut [0; 16])?;
    selector.select(None, &mut found)?;
    log.say(format!("far has read: {}", ready(&found)));
    selector.unregister(&near)?;
    selector.select(NOW, &mut found)?;
    log.say(format!("near is off:  {}", ready(&found)));
    Ok(())
}

/// Whoever waits has to find out that there is nothing to wait for, whichever direction it asked
/// for. But it is woken for that direction, not for one that it did not ask for.
pub(crate) fn hangup_wakes_all(t: &mut Transcript) -> anyhow::Result<()> {
    let (mut epoll, mut poll) = (EpollSelector::new()?, PollSelector::new());
    play_both(t, |log| hang_up(&mut epoll, log), |log| hang_up(&mut poll, log))
}

fn hang_up(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for (interest, name) in [
        (Interest::READABLE, "reader"),
        (Interest::WRITABLE, "writer"),
        (Interest::READABLE | Interest::WRITABLE, "do-all"),
    ] {
        let (near, far) = socketpair()?;
        selector.register(&near, interest, name)?;
        selector.select(NOW, &mut found)?;
        log.say(format!("{name} waits, ready:    {}", ready(&found)));
        drop(far);
        selector.select(None, &mut found)?;
        log.say(format!("the other side leaves:  {}", ready(&found)));
        selector.unregister(&near)?;
    }
    Ok(())
}
