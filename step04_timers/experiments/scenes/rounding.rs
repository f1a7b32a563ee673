//! The rounding of a timeout on its way to the kernel.

use std::io;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step02_epoll::{Epoll, Events};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

use kit::Sleeper;

/// Waits for one timer are counted up to this number, which stands for "more than 3". Most machines
/// make hundreds of waits, but an emulated machine can need 25 µs for each.
const MANY: u32 = 4;
/// The maximum number of tries per timer.
const TRIES: u32 = 50;
const DAY: Duration = Duration::from_hours(24);

scene!(
    a_timeout_rounded_down,
    "A timer is due in 200 µs, but epoll_wait counts in milliseconds. How many waits does the timer take?"
);
/// `rounded down:   more than 3 waits, sometimes less than 800µs late`: 200 µs become 0 ms, so the
/// wait returns at once, the timer isn't due, and the loop asks again and again until it is. With
/// the timer of 1500 µs, the loop sleeps for 1 ms and spins for the rest.
/// `rounded up:     1 wait, always at least 800µs late` costs some delay and no CPU time.
/// A wait in nanoseconds costs no CPU time and hardly any delay.
fn a_timeout_rounded_down(t: Transcript) -> anyhow::Result<()> {
    for micros in [200, 1500] {
        say!(t, "a timer of {micros} µs");
        let down = wait_for(micros, rounded_down, |waits, can_be_on_time| {
            waits == MANY && can_be_on_time
        })?;
        say!(t, "  rounded down:   {}", down);
        say!(t, "  rounded up:     {}", wait_for(micros, rounded_up, |_, _| false)?);
        let nanos = wait_for(micros, in_nanoseconds, |_, can_be_on_time| can_be_on_time)?;
        say!(t, "  in nanoseconds: {}", nanos);
    }
    Ok(())
}

type Wait = fn(&Epoll, &mut Events, Duration) -> io::Result<()>;

fn rounded_down(epoll: &Epoll, events: &mut Events, left: Duration) -> io::Result<()> {
    let seconds = Duration::from_secs(left.as_secs());
    epoll.wait(events, Some(seconds + Duration::from_millis(left.subsec_millis().into())))
}

fn rounded_up(epoll: &Epoll, events: &mut Events, left: Duration) -> io::Result<()> {
    epoll.wait(events, Some(left))
}

fn in_nanoseconds(epoll: &Epoll, events: &mut Events, left: Duration) -> io::Result<()> {
    epoll.wait_precisely(events, Some(left))
}

/// Tries a timer until it's clear how many waits the timer takes and whether it can fire before the
/// millisecond is over, at most `TRIES` times. A busy machine can disturb many tries but hardly
/// all.
fn wait_for(micros: u32, wait: Wait, is_clear: fn(u32, bool) -> bool) -> anyhow::Result<String> {
    let whole = Duration::from_millis((micros / 1000).into());
    let rest = Duration::from_micros((1000 - micros % 1000).into());
    let (epoll, mut events) = (Epoll::new()?, Events::with_capacity(1));
    let clock = MonotonicClock::new();
    let (mut most_waits, mut can_be_on_time, mut tries) = (0, false, 0);
    while !is_clear(most_waits, can_be_on_time) && tries < TRIES {
        let mut timers = TimerHeap::new();
        let deadline = clock.now() + Duration::from_micros(micros.into());
        timers.push(deadline, ());
        tries += 1;
        let mut next = timers.next_timeout(clock.now());
        if next.is_some_and(|left| left <= whole) {
            // The machine was busy, so the rest of the timer is shorter than the one to measure.
            continue;
        }
        let mut waits = 0;
        while let Some(left) = next {
            wait(&epoll, &mut events, left)?;
            waits = MANY.min(waits + 1);
            timers.pop_due(clock.now());
            next = timers.next_timeout(clock.now());
        }
        most_waits = most_waits.max(waits);
        can_be_on_time |= clock.now() - deadline < rest;
    }
    let waits = match most_waits {
        1 => "1 wait",
        MANY => "more than 3 waits",
        _ => "some waits",
    };
    let late = if can_be_on_time { "sometimes less than" } else { "always at least" };
    Ok(format!("{waits}, {late} {rest:?} late"))
}

scene!(
    fifty_day_timeout,
    "epoll_wait's timeout holds at most 24.8 days. When does a timer of 50 days fire?"
);
/// `50 days, cast to an int:    1 wait, then spins at 25032.704s`: the timeout is an `int` of
/// milliseconds, and the cast drops the top bits, which leaves seven hours. After those hours,
/// exactly 2³² ms are left, and the cast turns them into 0. 30 days become a negative number, which
/// means forever. With a limit, the loop wakes up with no timer due and asks again. asyncio limits
/// its waits to a day.
fn fifty_day_timeout(t: Transcript) -> anyhow::Result<()> {
    for days in [30, 50] {
        say!(t, "{days} days, a day at a time:   {}", sleep_through(days, at_most_a_day));
        say!(t, "{days} days, as much as fits:   {}", sleep_through(days, what_fits));
        say!(t, "{days} days, cast to an int:    {}", sleep_through(days, cast));
    }

    let (reader, writer) = pipe()?;
    let sleeper = Sleeper::start(move || {
        select_for(50 * DAY, &reader).unwrap_or_else(|error| error.to_string())
    })?;
    sleeper.wait_until_asleep()?;
    let state = if sleeper.is_finished() { "has returned" } else { "asleep" };
    say!(t, "a real selector, 50 days:   {}", state);
    write(&writer, b"x")?;
    say!(t, "  a byte arrives:           {}", sleeper.join()?);
    Ok(())
}

/// Limits a timeout as asyncio does: `MAXIMUM_SELECT_TIMEOUT` is a day.
fn at_most_a_day(left: Duration) -> Option<Duration> {
    Some(left.min(DAY))
}

/// Limits a timeout as `Epoll::wait` does: to at most `i32::MAX` milliseconds.
fn what_fits(left: Duration) -> Option<Duration> {
    Some(left.min(Duration::from_millis(i32::MAX.unsigned_abs().into())))
}

/// Casts a timeout as `(int) milliseconds` does in C. A negative timeout never ends.
#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
fn cast(left: Duration) -> Option<Duration> {
    let milliseconds = left.as_millis() as i32;
    u64::try_from(milliseconds).ok().map(Duration::from_millis)
}

fn sleep_through(days: u32, kernels_timeout: fn(Duration) -> Option<Duration>) -> String {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + days * DAY, ());
    for waits in 0.. {
        if timers.pop_due(clock.now()).is_some() {
            return format!("{waits} waits, fires at {}", clock.now());
        }
        match timers.next_timeout(clock.now()).and_then(kernels_timeout) {
            None => return "waits forever".to_string(),
            Some(Duration::ZERO) => {
                return format!("{waits} wait, then spins at {}", clock.now());
            }
            timeout => clock.sleep_for(timeout),
        };
    }
    String::new()
}

fn select_for(timeout: Duration, reader: &std::os::fd::OwnedFd) -> io::Result<String> {
    let mut selector = EpollSelector::new()?;
    let mut ready = Vec::new();
    selector.register(reader, Interest::READABLE, "pipe")?;
    selector.select(Some(timeout), &mut ready)?;
    Ok(format!("select returns {} event", ready.len()))
}
