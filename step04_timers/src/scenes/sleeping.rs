//! How long a loop may sleep.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

scene!(how_long_to_sleep, "Never, for a while, or for ever: what does the heap tell the wait?");
/// The nearest timer says it; a past one says "not at all", and no timer says "for ever".
fn how_long_to_sleep(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let ask = |what: &str, clock: &VirtualClock, timers: &mut TimerHeap<&str>| {
        let timeout = timers.next_timeout(clock.now());
        let timeout = match timeout {
            None => "for ever".to_string(),
            Some(Duration::ZERO) => "not at all".to_string(),
            Some(timeout) => format!("{timeout:?}"),
        };
        say!(t, "at {:<8} {what:<18} {timeout}", clock.now().to_string());
    };
    ask("no timer", &clock, &mut timers);
    timers.push(clock.now() + Duration::from_secs(5), "in five");
    ask("one, in 5 s", &clock, &mut timers);
    let two = timers.push(clock.now() + Duration::from_secs(2), "in two");
    timers.push(clock.now() + Duration::from_hours(1), "in an hour");
    ask("three", &clock, &mut timers);
    clock.advance(Duration::from_micros(1_999_700));
    ask("a little later", &clock, &mut timers);
    timers.cancel(two);
    ask("nearest cancelled", &clock, &mut timers);
    clock.advance(Duration::from_micros(3_000_300));
    ask("due now", &clock, &mut timers);
    clock.advance(Duration::from_secs(10));
    ask("due since 10 s", &clock, &mut timers);
    timers.pop_due(clock.now());
    timers.push(Time::ZERO, "set for the past");
    ask("set for the past", &clock, &mut timers);
    Ok(())
}

scene!(
    early_event,
    "Bytes arrive long before the timer is due. How long does the loop sleep next?"
);
/// The wait ends with the first event, so what is left of the timer is worked out again each time.
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
        say!(t, "at {:<4} sleep for {timeout:?}", clock.now().to_string());
        // Somebody writes in the meantime: the sleep is over before its time.
        clock.advance(Duration::from_millis(millis));
        write(&writer, b"x")?;
        selector.select(timeout, &mut ready)?;
        say!(t, "at {:<4} woken by {} descriptor", clock.now().to_string(), ready.len());
        read(&reader, &mut [0; 8])?;
    }
    let timeout = timers.next_timeout(clock.now());
    say!(t, "at {:<4} sleep for {timeout:?}", clock.now().to_string());
    selector.select(clock.sleep_for(timeout), &mut ready)?;
    let due = timers.pop_due(clock.now());
    say!(t, "at {:<4} woken by {} descriptors, due: {due:?}", clock.now().to_string(), ready.len());
    Ok(())
}

scene!(never_wakes_early, "On a real clock: is a timer ever early? Is it ever exact?");
/// The wait rounds up, and then the scheduler takes its time: a timer is late, by microseconds or
/// by a lot. It is never early, or the loop would spin until the time has come.
fn never_wakes_early(t: Transcript) -> anyhow::Result<()> {
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
    say!(t, "early: {early}");
    say!(
        t,
        "one of them half a millisecond late, or more: {}",
        latest >= Duration::from_micros(500)
    );
    say!(t, "more than one wait for each: {}", waits > 20);
    Ok(())
}
