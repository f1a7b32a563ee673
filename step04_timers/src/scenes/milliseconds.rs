//! What becomes of a timeout on its way into the kernel.

use std::io;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step02_epoll::{Epoll, Events};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

use kit::Sleeper;

/// What counts as many waits for one timer.
const MANY: u32 = 11;
/// How often a timer is tried at most.
const TRIES: u32 = 50;
const DAY: Duration = Duration::from_hours(24);

scene!(
    rounding_down_spins,
    "A timer in 200 µs, and a wait that counts milliseconds. How many waits does it take?"
);
/// `epoll_wait(2)` counts in milliseconds. Rounded down, the last part of each timer is a timeout of
/// 0, so the loop spins until the time has come. Rounded up, it sleeps once, and too long.
/// `epoll_pwait2(2)` counts in nanoseconds: one sleep, and hardly late.
fn rounding_down_spins(t: Transcript) -> anyhow::Result<()> {
    for micros in [200, 1500] {
        say!(t, "{micros} µs");
        let down = wait_for(micros, rounded_down, |waits, can_be_on_time| {
            waits == MANY && can_be_on_time
        })?;
        say!(t, "  rounded down:   {down}");
        say!(t, "  rounded up:     {}", wait_for(micros, rounded_up, |_, _| false)?);
        let nanos = wait_for(micros, in_nanoseconds, |_, can_be_on_time| can_be_on_time)?;
        say!(t, "  in nanoseconds: {nanos}");
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

/// Waits for a timer again and again, until it is clear how many waits it takes, and whether it can
/// fire before the millisecond is over. A busy machine may disturb many of them, but not all.
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
            // The machine was busy: what is left is another timer than the one that was asked for.
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
        MANY => "more than 10 waits",
        _ => "some waits",
    };
    let late = if can_be_on_time { "can be less than" } else { "at least" };
    Ok(format!("{waits}, {late} {rest:?} late"))
}

scene!(fifty_days, "A timer in fifty days, and a timeout that ends at 24.8. When does it fire?");
/// The kernel's timeout is an `int` of milliseconds: 24.8 days. A longer wait is cut to what fits,
/// and the loop asks again afterwards. A program that merely casts gets a negative number, which
/// means for ever, or a small one, and in the end zero.
fn fifty_days(t: Transcript) -> anyhow::Result<()> {
    for days in [30, 50] {
        say!(t, "{days} days, at most a day at a time:   {}", sleep_through(days, at_most_a_day));
        say!(t, "{days} days, at most what fits:         {}", sleep_through(days, what_fits));
        say!(t, "{days} days, cut off by a cast:         {}", sleep_through(days, cast));
    }

    let (reader, writer) = pipe()?;
    let sleeper = Sleeper::start(move || {
        select_for(50 * DAY, &reader).unwrap_or_else(|error| error.to_string())
    })?;
    sleeper.wait_until_asleep()?;
    say!(t, "a real selector, 50 days:           asleep: {}", !sleeper.is_finished());
    write(&writer, b"x")?;
    say!(t, "a byte comes:                       {}", sleeper.join()?);
    Ok(())
}

/// asyncio's rule: `MAXIMUM_SELECT_TIMEOUT` is a day.
fn at_most_a_day(left: Duration) -> Option<Duration> {
    Some(left.min(DAY))
}

/// What `Epoll::wait` makes of it.
fn what_fits(left: Duration) -> Option<Duration> {
    Some(left.min(Duration::from_millis(i32::MAX.unsigned_abs().into())))
}

/// What `(int) milliseconds` makes of it in C; a negative timeout has no end.
#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
fn cast(left: Duration) -> Option<Duration> {
    let milliseconds = left.as_millis() as i32;
    u64::try_from(milliseconds).ok().map(Duration::from_millis)
}

fn sleep_through(days: u32, kernels_timeout: fn(Duration) -> Option<Duration>) -> String {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + days * DAY, ());
    for sleeps in 0.. {
        if timers.pop_due(clock.now()).is_some() {
            return format!("{sleeps} sleeps, fires after {}", clock.now());
        }
        match timers.next_timeout(clock.now()).and_then(kernels_timeout) {
            None => return "sleeps for ever".to_string(),
            Some(Duration::ZERO) => {
                return format!("{sleeps} sleep, then spins at {}", clock.now());
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
    Ok(format!("awake, ready: {}", ready.len()))
}
