//! The events that select reports, and the moment at which it returns.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::{Log, play_on_all, ready};
use kit::{Sleeper, count_signals};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    select_reports_the_ready,
    "near is registered to read and write; far and quiet are registered to read. Which of them are reported?"
);
/// `nothing is written:     [near WRITABLE]`: writable means that there's room for bytes, so `near`
/// is ready before anything has happened. `far` has room, too, but is registered for reading only.
/// Later `near` still has five unread bytes, and each `select` reports them again, since the
/// registrations are level-triggered. Then `near is unregistered:   nothing`, because the kernel
/// doesn't watch it any more.
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
    say!(log, "nothing is written:     {}", ready(&found));
    write(&near, b"hello")?;
    write(&far, b"hello")?;
    selector.select(None, &mut found)?;
    say!(log, "near and far write:     {}", ready(&found));
    read(&far, &mut [0; 16])?;
    selector.select(None, &mut found)?;
    say!(log, "far reads its bytes:    {}", ready(&found));
    selector.unregister(&near)?;
    selector.select(NOW, &mut found)?;
    say!(log, "near is unregistered:   {}", ready(&found));
    Ok(())
}

scene!(
    who_hears_of_a_hangup,
    "A peer closes. Is that reported to a registration for reading, and to one for writing?"
);
/// `[writer WRITABLE, read closed, write closed]`: when a UNIX socket's peer closes, the kernel
/// reports a hang-up whatever the registration asks for, and our layer counts the hang-up for each
/// direction of the registration's interest. So the reader and the writer both wake up, make their
/// calls, and find out. select(2) has a set for reading and one for writing, but none for hang-ups,
/// so it reports the direction alone: `on select(2): other lines`.
fn who_hears_of_a_hangup(t: Transcript) -> anyhow::Result<()> {
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
        say!(log, "{registered:<21} {}", ready(&found));
        drop(far);
        selector.select(None, &mut found)?;
        say!(log, "  its peer closes:    {}", ready(&found));
        selector.unregister(&near)?;
    }
    Ok(())
}

scene!(
    a_signal_during_select,
    "A signal arrives while select sleeps without a timeout. What does select return?"
);
/// `epoll:     asleep until a signal arrives, then ready: nothing`: after the handler has run, the
/// kernel ends the wait with `EINTR`, which isn't a failure. Our `select` returns early with an
/// empty list, because the handler may have left work for the loop. Python's selectors run the
/// handler and, unless it raises an exception, wait for the rest of the timeout.
fn a_signal_during_select(t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    say!(t, "epoll:     {}", until_a_signal(EpollSelector::new()?)?);
    say!(t, "poll(2):   {}", until_a_signal(PollSelector::new())?);
    say!(t, "select(2): {}", until_a_signal(SelectSelector::new())?);
    Ok(())
}

/// Calls select in another thread and sends that thread a signal once it's asleep.
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
    Ok(format!("asleep until a signal arrives, then {}", sleeper.interrupted()?))
}
