//! The time that a loop can sleep until its next timer.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

scene!(
    how_long_to_sleep,
    "What does next_timeout return without a timer, with three timers, after a cancel, and when a timer is overdue?"
);
/// `at 1.9997s  2 s timer is cancelled Some(3.0003s)`: the cancelled timer is still at the top of
/// the heap but mustn't wake the loop, so `next_timeout` drops it and looks at the next timer. An
/// overdue timer gives `Some(0ns)`, since the time left can't be negative: look at the descriptors
/// and don't sleep. With no timer the result is `None`, and the loop may sleep forever.
fn how_long_to_sleep(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let ask = |what: &str, clock: &VirtualClock, timers: &mut TimerHeap<&str>| {
        let timeout = timers.next_timeout(clock.now());
        say!(t, "at {:<8} {what:<22} {:?}", clock.now().to_string(), timeout);
    };
    ask("no timer", &clock, &mut timers);
    timers.push(clock.now() + Duration::from_secs(5), "at 5 s");
    ask("a timer for 5 s", &clock, &mut timers);
    let two = timers.push(clock.now() + Duration::from_secs(2), "at 2 s");
    timers.push(clock.now() + Duration::from_hours(1), "in an hour");
    ask("two more: 2 s and 1 h", &clock, &mut timers);
    clock.advance(Duration::from_micros(1_999_700));
    ask("300 µs before 2 s", &clock, &mut timers);
    timers.cancel(two);
    ask("2 s timer is cancelled", &clock, &mut timers);
    clock.advance(Duration::from_micros(3_000_300));
    ask("the 5 s timer is due", &clock, &mut timers);
    clock.advance(Duration::from_secs(10));
    ask("it is 10 s overdue", &clock, &mut timers);
    timers.pop_due(clock.now());
    timers.push(Time::ZERO, "at 0 s");
    ask("a timer for the past", &clock, &mut timers);
    Ok(())
}

scene!(
    early_event,
    "A timer of 5 s is set, and a byte arrives after 1.2 s. How long does the loop sleep next?"
);
/// `at 1.2s next_timeout: Some(3.8s)`: the byte ends the wait early, and the loop does its work and
/// asks the heap again. The heap stores the deadline, 5s, and the answer is that deadline minus the
/// time of the question. If the heap stored the rest of each timeout, it would have to change every
/// entry as time passes. The timer still fires on time:
/// `at 5s   select returns 0 events, pop_due: Some("timer")`.
fn early_event(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let mut selector = EpollSelector::new()?;
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "pipe")?;
    timers.push(clock.now() + Duration::from_secs(5), "timer");
    let mut ready = Vec::new();

    for millis in [1200, 800] {
        let timeout = timers.next_timeout(clock.now());
        say!(t, "at {:<4} next_timeout: {:?}", clock.now().to_string(), timeout);
        // A byte arrives before the timeout is over.
        clock.advance(Duration::from_millis(millis));
        write(&writer, b"x")?;
        selector.select(timeout, &mut ready)?;
        say!(t, "at {:<4} select returns {} event", clock.now().to_string(), ready.len());
        read(&reader, &mut [0; 8])?;
    }
    let timeout = timers.next_timeout(clock.now());
    say!(t, "at {:<4} next_timeout: {:?}", clock.now().to_string(), timeout);
    selector.select(clock.sleep_for(timeout), &mut ready)?;
    let due = timers.pop_due(clock.now());
    let now = clock.now().to_string();
    say!(t, "at {:<4} select returns {} events, pop_due: {:?}", now, ready.len(), due);
    Ok(())
}

scene!(
    twenty_real_timers,
    "Twenty real timers run for 50 µs to 1 ms. How many of them are early, and how late is the latest?"
);
/// `early:           0`: our selector rounds each wait up to whole milliseconds, so it never
/// returns before the deadline, and one wait per timer is enough. For the same reason, a timer of
/// 50 µs is late by more than half a millisecond: `the latest:      500 µs late or more`. Even
/// without the rounding, no timer would be exactly on time, since the kernel may end a sleep a
/// little later, and the scheduler has to find a CPU.
fn twenty_real_timers(t: Transcript) -> anyhow::Result<()> {
    let clock = MonotonicClock::new();
    let mut selector = EpollSelector::<()>::new()?;
    let mut timers = TimerHeap::new();
    let (mut early, mut latest, mut waits) = (0, Duration::ZERO, 0);
    for micros in (50..1050).step_by(50) {
        let deadline = clock.now() + Duration::from_micros(micros);
        timers.push(deadline, ());
        while timers.pop_due(clock.now()).is_none() {
            let timeout = timers.next_timeout(clock.now());
            selector.select(timeout, &mut Vec::new())?;
            waits += 1;
        }
        let now = clock.now();
        early += u32::from(now < deadline);
        latest = latest.max(now - deadline);
    }
    say!(t, "20 timers of 50 µs to 1 ms");
    say!(t, "  early:           {}", early);
    let late = latest >= Duration::from_micros(500);
    say!(
        t,
        "  the latest:      {}",
        if late { "500 µs late or more" } else { "under 500 µs late" }
    );
    say!(t, "  waits per timer: {}", if waits > 20 { "more than one" } else { "one" });
    Ok(())
}
