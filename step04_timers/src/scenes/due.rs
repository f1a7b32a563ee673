//! What is due, and what is not.

use std::iter;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Time, TimerHeap, TimerId};

const SECOND: Duration = Duration::from_secs(1);

scene!(due_to_the_nanosecond, "A nanosecond early, on time, an hour late: which of them is due?");
/// Due means: the time has come, or is over. Not a nanosecond before, and not twice.
fn due_to_the_nanosecond(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let just_before = Time::from_nanos(999_999_999);
    let second = Time::ZERO + SECOND;
    say!(t, "no timer:            {:?}", timers.pop_due(second));
    timers.push(second, "a second");
    say!(t, "a nanosecond early:  {:?}", timers.pop_due(just_before));
    say!(t, "to the nanosecond:   {:?}", timers.pop_due(second));
    say!(t, "once more:           {:?}", timers.pop_due(second));

    timers.push(Time::ZERO, "set for the past");
    timers.push(Time::ZERO + Duration::MAX, "never");
    say!(t, "due since long ago:  {:?}", timers.pop_due(second + 3600 * SECOND));
    say!(t, "and the other one:   {:?}", timers.pop_due(second + 3600 * SECOND));
    say!(t, "still waiting:       {}", timers.len());
    Ok(())
}

scene!(
    before_at_and_after,
    "Cancelled before its time, in its moment and afterwards: does it fire?"
);
/// A timer can be cancelled until it is taken out, and not a moment longer, whatever the clock
/// shows. A cancelled one in front of others does not hide them.
fn before_at_and_after(t: Transcript) -> anyhow::Result<()> {
    let second = Time::ZERO + SECOND;
    let mut timers = TimerHeap::new();
    let timer = timers.push(second, "timer");
    say!(t, "before:   cancel: {}", cancel(&mut timers, timer));
    say!(t, "          due at 1 s: {:?}", timers.pop_due(second));

    let [first, other] = ["first", "other"].map(|name| timers.push(second, name));
    say!(t, "at 1 s:   due: {:?}", timers.pop_due(second));
    say!(t, "          it cancels the other: {}", cancel(&mut timers, other));
    say!(t, "          due: {:?}", timers.pop_due(second));
    say!(t, "after:    cancel: {}", cancel(&mut timers, first));

    let [one, two, _] = ["one", "two", "three"].map(|name| timers.push(second, name));
    timers.cancel(one);
    timers.cancel(two);
    say!(t, "in front: two of three are cancelled, due: {:?}", timers.pop_due(second));
    say!(t, "          still in the heap: {}", timers.scheduled());
    Ok(())
}

fn cancel(timers: &mut TimerHeap<&'static str>, timer: TimerId) -> &'static str {
    timers.cancel(timer).map_or("too late", |_| "done")
}

scene!(
    a_timer_sets_a_timer,
    "A timer sets a timer that is due already. When does the loop look at the pipe?"
);
/// A timer whose callback makes a timer that is due, whose callback does the same. Whoever runs each
/// one as it is taken out never comes to an end. Whoever takes out all that are due first, and then
/// runs them, asks the descriptors in between. The price is the last line: what was taken out cannot
/// be cancelled any more, so a loop that allows that has to look once more before it runs one.
fn a_timer_sets_a_timer(t: Transcript) -> anyhow::Result<()> {
    let now = Time::ZERO + SECOND;
    let mut timers = TimerHeap::new();
    let again = |timers: &mut TimerHeap<&'static str>| timers.push(Time::ZERO, "again");
    let mut selector = EpollSelector::new()?;
    let mut ready = Vec::new();
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, ())?;
    write(&writer, b"x")?;

    again(&mut timers);
    let mut runs = 0;
    while runs < 1000 && timers.pop_due(now).is_some() {
        again(&mut timers);
        runs += 1;
    }
    say!(t, "run as they are taken out: {runs} runs, and the pipe was not asked");

    for turn in 1..=3 {
        let due: Vec<_> = iter::from_fn(|| timers.pop_due(now)).collect();
        for _ in &due {
            again(&mut timers);
        }
        selector.select(Some(Duration::ZERO), &mut ready)?;
        say!(t, "taken out first, turn {turn}: {} run, ready: {} pipe", due.len(), ready.len());
    }

    let other = again(&mut timers);
    let due: Vec<_> = iter::from_fn(|| timers.pop_due(now)).collect();
    let cancelled = cancel(&mut timers, other);
    say!(t, "{} are taken out, the first cancels the second: {cancelled}", due.len());
    Ok(())
}
