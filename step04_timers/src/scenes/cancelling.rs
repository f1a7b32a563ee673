//! Timers that shall not fire after all.

use std::time::Duration;

use step04_timers::{Time, TimerHeap};
use workbook::{Transcript, say};

const SECOND: Duration = Duration::from_secs(1);

/// Cancelling marks a timer. It is thrown away when it comes to the top.
pub(crate) fn cancel_is_lazy(t: &mut Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let first = timers.push(Time::ZERO + SECOND, "first");
    let second = timers.push(Time::ZERO + 2 * SECOND, "second");
    let third = timers.push(Time::ZERO + 3 * SECOND, "third");
    say!(t, "made:            {}", count(&timers));
    say!(t, "cancel second:   {:?}", timers.cancel(second));
    say!(t, "cancel it again: {:?}", timers.cancel(second));
    say!(t, "it is marked:    {}", count(&timers));
    say!(t, "cancel first:    {:?}", timers.cancel(first));
    say!(t, "due after 1 s:   {:?}", timers.pop_due(Time::ZERO + SECOND));
    say!(t, "the top is gone: {}", count(&timers));
    let end = Time::ZERO + 3 * SECOND;
    say!(t, "due after 3 s:   {:?}", timers.pop_due(end));

    let fourth = timers.push(end, "fourth");
    let old = [first, second, third].map(|old| timers.cancel(old).is_some());
    say!(t, "old handles:     {old:?}");
    say!(t, "it fires:        {:?}", timers.pop_due(end));
    say!(t, "cancel it now:   {:?}", timers.cancel(fourth));
    Ok(())
}

/// Timeouts are made to be cancelled. If the marked ones stayed until their time, a busy server
/// would keep a minute's worth of them. So they are swept out once they are the greater part.
pub(crate) fn a_million_cancelled(t: &mut Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + SECOND, "the only one that matters");
    let minute = Time::ZERO + 60 * SECOND;
    let mut most = 0;
    for _ in 0..1000 {
        for _ in 0..1000 {
            let timeout = timers.push(minute, "timeout");
            timers.cancel(timeout);
        }
        most = most.max(timers.scheduled());
        // A loop asks this once a turn, before it sleeps.
        timers.next_timeout(Time::ZERO);
    }
    say!(t, "at most in the heap: {most}");
    say!(t, "at last: {}", count(&timers));

    let few: Vec<_> = (0..99).map(|_| timers.push(minute, "timeout")).collect();
    for timeout in few {
        timers.cancel(timeout);
    }
    timers.next_timeout(Time::ZERO);
    say!(t, "99 cancelled of 100 are not worth it: {}", count(&timers));
    timers.push(minute, "another");
    timers.next_timeout(Time::ZERO);
    say!(t, "99 cancelled of 101 are: {}", count(&timers));
    Ok(())
}

fn count(timers: &TimerHeap<&str>) -> String {
    format!("{} waiting, {} in the heap", timers.len(), timers.scheduled())
}
