//! Small loops, with a heap of timers and without one.

use std::fs;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

const TICK: Duration = Duration::from_millis(10);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// The times at which the two bytes of the virtual minute arrive.
const ARRIVALS: [Duration; 2] = [Duration::from_millis(12_345), Duration::from_millis(40_001)];

scene!(
    polling_or_sleeping,
    "A loop has one timer. How often does the loop wake up in a minute if it naps, and how often if it asks its heap?"
);
/// `the heap's timeout: 3 wake-ups, each byte is found at once`: one for each of the two bytes, and
/// one for the timer, because the wait ends at whatever comes first. The napping loop wakes up a
/// hundred times a second, nearly always to find nothing, and still comes late, since a byte that
/// arrives during a nap waits for the nap's end:
/// `naps of 10 ms:      6000 wake-ups, a byte waits for up to 9ms`.
fn polling_or_sleeping(t: Transcript) -> anyhow::Result<()> {
    say!(t, "a virtual minute with two bytes and a timer");
    say!(t, "  naps of 10 ms:      {}", a_minute(|_| Some(TICK)));
    say!(t, "  the heap's timeout: {}", a_minute(|left| left));
    say!(t, "a real timer of 30 ms");
    say!(t, "  naps of 10 ms:      {}", a_real_timer(20, |_| Some(TICK))?);
    say!(t, "  the heap's timeout: {}", a_real_timer(5, |left| left)?);
    Ok(())
}

fn a_minute(timeout: impl Fn(Option<Duration>) -> Option<Duration>) -> String {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + MINUTE, ());
    let mut bytes = ARRIVALS.map(|after| Time::ZERO + after).into_iter().peekable();
    let (mut wakes, mut latest) = (0, Duration::ZERO);
    loop {
        let timeout = timeout(timers.next_timeout(clock.now())).unwrap_or(Duration::MAX);
        // A sleep of 10 ms ignores the descriptors. A wait ends when a byte arrives.
        let until_byte = bytes.peek().map_or(Duration::MAX, |arrival| *arrival - clock.now());
        clock.advance(if timeout == TICK { TICK } else { timeout.min(until_byte) });
        wakes += 1;
        if let Some(arrival) = bytes.next_if(|arrival| *arrival <= clock.now()) {
            latest = latest.max(clock.now() - arrival);
        }
        if timers.pop_due(clock.now()).is_some() {
            let found = match latest {
                Duration::ZERO => "each byte is found at once".to_owned(),
                latest => format!("a byte waits for up to {latest:?}"),
            };
            return format!("{wakes} wake-ups, {found}");
        }
    }
}

/// Says whether a timer takes more than one wake-up. Tries several timers, since a busy machine can
/// merge the wake-ups of one.
fn a_real_timer(
    tries: u32,
    timeout: impl Fn(Option<Duration>) -> Option<Duration>,
) -> anyhow::Result<&'static str> {
    let clock = MonotonicClock::new();
    let mut selector = EpollSelector::<()>::new()?;
    let mut most = 0;
    for _ in 0..tries {
        let mut timers = TimerHeap::new();
        timers.push(clock.now() + Duration::from_millis(30), ());
        let mut wakes = 0;
        while timers.pop_due(clock.now()).is_none() {
            selector.select(timeout(timers.next_timeout(clock.now())), &mut Vec::new())?;
            wakes += 1;
        }
        most = most.max(wakes);
        if most > 1 {
            break;
        }
    }
    Ok(if most > 1 { "more than one wake-up" } else { "one wake-up" })
}

scene!(
    three_sleepers,
    "Three sleepers share one thread, and a byte arrives meanwhile. When does the loop read it?"
);
/// `at 2s: a byte arrives, select returns 1 event`, although three sleepers share the thread. No
/// sleeper occupies the thread: a sleep is an entry in the heap, and the loop waits for the
/// descriptors with the time until the nearest deadline as its timeout. The byte ends that wait
/// early; the loop reads it and asks the heap again. Ann and Bob have the same deadline and wake up
/// in the order in which they fell asleep.
fn three_sleepers(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let mut selector = EpollSelector::new()?;
    let mut ready = Vec::new();
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "pipe")?;
    for (name, seconds) in [("Ann", 5), ("Bob", 5), ("Cid", 7)] {
        timers.push(clock.now() + seconds * SECOND, name);
    }
    say!(t, "three sleepers: {} heap entries, {}", timers.scheduled(), threads()?);

    clock.advance(2 * SECOND);
    write(&writer, b"x")?;
    selector.select(timers.next_timeout(clock.now()), &mut ready)?;
    say!(t, "at {}: a byte arrives, select returns {} event", clock.now(), ready.len());
    read(&reader, &mut [0; 8])?;
    while !timers.is_empty() {
        selector.select(clock.sleep_for(timers.next_timeout(clock.now())), &mut ready)?;
        while let Some(name) = timers.pop_due(clock.now()) {
            say!(t, "at {}: {} wakes up, {} asleep", clock.now(), name, timers.len());
        }
    }
    Ok(())
}

fn threads() -> anyhow::Result<String> {
    let count = fs::read_dir("/proc/self/task").context("list the threads")?.count();
    Ok(if count == 1 { "1 thread".to_string() } else { format!("{count} threads") })
}
