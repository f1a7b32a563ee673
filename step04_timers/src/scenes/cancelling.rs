//! Timers that shall not fire after all.

use std::fs;
use std::iter;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step04_timers::{Time, TimerHeap, TimerId};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

scene!(cancel_is_lazy, "A timer is cancelled. What becomes of its entry in the heap?");
/// Cancelling takes away what the timer was for. Its entry stays in the heap.
fn cancel_is_lazy(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let first = timers.push(Time::ZERO + SECOND, "first");
    let second = timers.push(Time::ZERO + 2 * SECOND, "second");
    let third = timers.push(Time::ZERO + 3 * SECOND, "third");
    say!(t, "made:            {}", count(&timers));
    say!(t, "cancel second:   {:?}", timers.cancel(second));
    say!(t, "cancel it again: {:?}", timers.cancel(second));
    say!(t, "it is empty now: {}", count(&timers));
    say!(t, "cancel first:    {:?}", timers.cancel(first));
    say!(t, "cancel third:    {:?}", timers.cancel(third));
    say!(t, "all are empty:   {}", count(&timers));

    let fourth = timers.push(Time::ZERO + SECOND, "fourth");
    let old = [first, second, third].map(|old| timers.cancel(old));
    say!(t, "old handles:     {old:?}");
    say!(t, "cancel fourth:   {:?}", timers.cancel(fourth));
    Ok(())
}

scene!(
    a_hundred_thousand_cancels,
    "A hundred thousand are cancelled, the last one first. Who looks for them?"
);
/// A hundred thousand timers, and each is cancelled, the last one first. Whoever looks for each in
/// the heap looks at five thousand million entries, and is still busy when the runner's patience
/// ends. Whoever removes each from the heap moves as many.
fn a_hundred_thousand_cancels(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let handles: Vec<TimerId> = (0..100_000).map(|n| timers.push(Time::from_nanos(n), n)).collect();
    say!(t, "made:      {}", count(&timers));
    let mut handed_back: Vec<u64> = Vec::new();
    for handle in handles.into_iter().rev() {
        handed_back.extend(timers.cancel(handle));
    }
    say!(t, "cancelled: {}", count(&timers));
    say!(t, "handed back: {} values", handed_back.len());
    say!(t, "each its own: {}", handed_back.into_iter().rev().eq(0..100_000));
    Ok(())
}

scene!(
    what_a_sweep_leaves,
    "How many must be cancelled for a sweep, and is the rest still in order?"
);
/// asyncio's rule: more than a hundred entries, and more than half of them cancelled. What is left
/// is a heap again: it fires in order.
fn what_a_sweep_leaves(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + HOUR, 1);
    let many: Vec<TimerId> = (0..99).map(|_| timers.push(Time::ZERO + 1000 * HOUR, 1000)).collect();
    cancel(&mut timers, &many);
    timers.sweep();
    say!(t, "99 cancelled of 100:  {} in the heap", timers.scheduled());
    timers.push(Time::ZERO + 2 * HOUR, 2);
    timers.sweep();
    say!(t, "99 cancelled of 101:  {} in the heap", timers.scheduled());

    // From 3 to 200 hours, in an order that looks like none.
    let hours = (0..198).map(|n| 3 + n * 71 % 198);
    let more: Vec<TimerId> =
        hours.map(|hour| timers.push(Time::ZERO + hour * HOUR, hour)).collect();
    cancel(&mut timers, &more[..100]);
    timers.sweep();
    say!(t, "100 cancelled of 200: {} in the heap", timers.scheduled());
    cancel(&mut timers, &more[100..101]);
    timers.sweep();
    say!(t, "101 cancelled of 200: {} in the heap", timers.scheduled());

    let fired: Vec<u32> = iter::from_fn(|| timers.pop_due(Time::ZERO + 1000 * HOUR)).collect();
    say!(t, "they fire in order:   {}", fired.is_sorted());
    say!(t, "the first of them:    {:?}", fired.iter().take(6).collect::<Vec<_>>());
    Ok(())
}

fn cancel<T>(timers: &mut TimerHeap<T>, which: &[TimerId]) {
    for timer in which {
        timers.cancel(*timer);
    }
}

scene!(
    a_million_cancelled,
    "A timeout for each of a million requests, and all are answered in time. What stays?"
);
/// Timeouts are made to be cancelled. If the empty entries stayed until their time, a busy server
/// would keep a minute's worth of them. So they are swept out once they are the greater part, and
/// the memory goes back. Half of the million come and go one by one, the other half at once.
fn a_million_cancelled(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let matters = timers.push(Time::ZERO + SECOND, "the only one that matters");
    let minute = Time::ZERO + 60 * SECOND;
    let mut most = 0;
    for _ in 0..500 {
        for _ in 0..1000 {
            let timeout = timers.push(minute, "timeout");
            timers.cancel(timeout);
        }
        most = most.max(timers.scheduled());
        // A loop asks this once a turn, before it sleeps.
        timers.next_timeout(Time::ZERO);
    }
    say!(t, "one by one:          at most {most} in the heap");

    let before = resident_kib()?;
    let all: Vec<_> = (0..500_000).map(|_| timers.push(minute, "timeout")).collect();
    say!(t, "all at once:         {}", count(&timers));
    cancel(&mut timers, &all);
    drop(all);
    say!(t, "all are cancelled:   {}", count(&timers));
    say!(t, "  10 MiB more:       {}", resident_kib()? - before > 10 * 1024);
    timers.next_timeout(Time::ZERO);
    say!(t, "the next turn:       {}", count(&timers));
    say!(t, "  10 MiB more:       {}", resident_kib()? - before > 10 * 1024);
    say!(t, "its handle is good:  {:?}", timers.cancel(matters));
    Ok(())
}

/// The memory this process has in use. See `proc_pid_status(5)`.
fn resident_kib() -> anyhow::Result<i64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn count<T>(timers: &TimerHeap<T>) -> String {
    format!("{} waiting, {} in the heap", timers.len(), timers.scheduled())
}
