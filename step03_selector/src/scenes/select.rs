//! What select reports, and when it returns.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::{Log, play_on_all, ready};
use kit::{Sleeper, count_signals};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    select_reports_the_ready,
    "near is registered to read and to write, far and quiet to read. Which does select report?"
);
/// near and far are the two ends of a socket pair, and quiet is a pipe that nothing is written to.
fn select_reports_the_ready(t: Transcript) -> anyhow::Result<()> {
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
    log.say(format!("nothing is written:     {}", ready(&found)));
    write(&near, b"hello")?;
    write(&far, b"hello")?;
    selector.select(None, &mut found)?;
    log.say(format!("near and far write:     {}", ready(&found)));
    read(&far, &mut [0; 16])?;
    selector.select(None, &mut found)?;
    log.say(format!("far reads its bytes:    {}", ready(&found)));
    selector.unregister(&near)?;
    selector.select(NOW, &mut found)?;
    log.say(format!("near is unregistered:   {}", ready(&found)));
    Ok(())
}

scene!(
    hangup_wakes_all,
    "A peer closes. Does select report a registration that asks to read? One that asks to write?"
);
/// Three registrations, one after the other: to read, to write, and both. select is called before
/// and after each one's peer closes.
fn hangup_wakes_all(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, hang_up)
}

fn hang_up(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for (interest, name) in [
        (Interest::READABLE, "reader"),
        (Interest::WRITABLE, "writer"),
        (Interest::READABLE | Interest::WRITABLE, "both"),
    ] {
        let (near, far) = socketpair()?;
        selector.register(&near, interest, name)?;
        selector.select(NOW, &mut found)?;
        let registered = format!("{name} is registered:");
        log.say(format!("{registered:<21} {}", ready(&found)));
        drop(far);
        selector.select(None, &mut found)?;
        log.say(format!("  its peer closes:    {}", ready(&found)));
        selector.unregister(&near)?;
    }
    Ok(())
}

scene!(
    signal_interrupts_select,
    "A signal arrives while select sleeps with no timeout. Does select return, and with what?"
);
/// A thread sleeps in select, on each of the three backends, until a signal arrives. The signal's
/// handler runs without `SA_RESTART`.
fn signal_interrupts_select(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    say!(t, "epoll:     {}", until_a_signal(EpollSelector::new()?)?);
    say!(t, "poll(2):   {}", until_a_signal(PollSelector::new())?);
    say!(t, "select(2): {}", until_a_signal(SelectSelector::new())?);
    Ok(())
}

/// Calls select in another thread, and sends that thread a signal once it's asleep.
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
    Ok(format!("asleep until a signal arrives, then {}", sleeper.join()?))
}
