//! What select brings.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::{Log, play_on_all, ready};
use kit::{Sleeper, count_signals};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(one_select, "Three wait, two are ready, and for different things. What comes back?");
/// Those who are ready come back, each with its data and with that part of its interest for which
/// it is ready.
fn one_select(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, three_wait)
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

scene!(
    hangup_wakes_all,
    "The other side goes away. Who wakes: the one who reads or the one who writes?"
);
/// Whoever waits has to find out that there is nothing to wait for, whichever direction it asked
/// for. But it is woken for that direction, not for one that it did not ask for. select(2) wakes the
/// same ones, and cannot say why.
fn hangup_wakes_all(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, hang_up)
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

scene!(signal_interrupts_select, "A signal comes while nobody is ready. What does select say?");
/// A signal ends the sleep, and that is no error. The list is empty, and the loop looks at whatever
/// else it has to look at: perhaps the signal's handler left something there.
fn signal_interrupts_select(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    say!(t, "epoll:     {}", until_a_signal(EpollSelector::new()?)?);
    say!(t, "poll(2):   {}", until_a_signal(PollSelector::new())?);
    say!(t, "select(2): {}", until_a_signal(SelectSelector::new())?);
    Ok(())
}

/// Sleeps in a thread, and sends it a signal once it is asleep.
fn until_a_signal(
    mut selector: impl Selector<&'static str> + Send + 'static,
) -> anyhow::Result<String> {
    let (reader, _writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "quiet")?;
    let sleeper = Sleeper::start(move || {
        let mut found = Vec::new();
        match selector.select(None, &mut found) {
            Ok(()) => format!("ready: {}", ready(&found)),
            Err(error) => format!("{:?}", error.kind()),
        }
    })?;
    sleeper.wait_until_asleep()?;
    if sleeper.is_finished() {
        return Ok(format!("did not sleep, {}", sleeper.join()?));
    }
    sleeper.interrupt()?;
    Ok(format!("asleep, until a signal comes; {}", sleeper.join()?))
}
