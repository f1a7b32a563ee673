//! The time that a loop's clock shows, and the danger of a clock that can be set.

use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

scene!(
    a_new_clock,
    "What does a new MonotonicClock show: the time of day, the uptime, or next to nothing?"
);
/// `a new clock shows:          less than a minute`, because the clock subtracts the moment of its
/// own start from the kernel's time. So times of clocks with different starts can't be compared:
/// `a clock started later:      shows less`. The kernel's monotonic clock counts in nanoseconds and
/// is never set, unlike the time of day, and that's why
/// `10,000 readings:            never go back`.
fn a_new_clock(t: Transcript) -> anyhow::Result<()> {
    let before = Instant::now();
    let clock = MonotonicClock::new();
    say!(t, "a new clock shows:          {}", in_words(clock.now()));

    let first = clock.now();
    let busy = Instant::now();
    while busy.elapsed() < Duration::from_millis(2) {}
    let second = clock.now();
    let advanced = second - first >= Duration::from_millis(2);
    say!(
        t,
        "after 2 ms, it advanced by: {}",
        if advanced { "2 ms or more" } else { "less than 2 ms" }
    );
    let honest = second - Time::ZERO <= before.elapsed();
    say!(
        t,
        "since its start:            {}",
        if honest { "no more than has passed" } else { "too much" }
    );
    let behind = MonotonicClock::new().now() < second;
    say!(t, "a clock started later:      {}", if behind { "shows less" } else { "shows no less" });

    let readings: Vec<Time> = (0..10_000).map(|_| clock.now()).collect();
    let pairs = readings.windows(2);
    let smallest_step = pairs.map(|pair| pair[1] - pair[0]).filter(|step| !step.is_zero()).min();
    let sorted = readings.is_sorted();
    say!(t, "10,000 readings:            {}", if sorted { "never go back" } else { "go back" });
    let fine = smallest_step.is_some_and(|step| step < Duration::from_millis(1));
    say!(t, "the smallest step:          {}", if fine { "under 1 ms" } else { "1 ms or more" });
    Ok(())
}

fn in_words(time: Time) -> &'static str {
    match (time - Time::ZERO).as_secs() {
        0..60 => "less than a minute",
        60..31_536_000 => "more than a minute",
        _ => "years, as if counted from 1970",
    }
}

scene!(
    wall_clock_set_back,
    "After 5 s, the wall clock is set back by an hour. When does a timer of 10 s fire?"
);
/// Runs one loop on four clocks: a monotonic clock, a wall clock, and two wall clocks that are set
/// after 5 s. The clocks are simulated, since a scene can't set yours.
fn wall_clock_set_back(t: Transcript) -> anyhow::Result<()> {
    let monotonic = |passed: Time| passed;
    let wall = |passed: Time| passed + 10 * HOUR;
    let back = |passed: Time| if is_set(passed) { passed + 9 * HOUR } else { wall(passed) };
    let forward = |passed: Time| if is_set(passed) { passed + 11 * HOUR } else { wall(passed) };
    say!(t, "a monotonic clock:                     fires after {}", fires_after(monotonic));
    say!(t, "a wall clock:                          fires after {}", fires_after(wall));
    say!(t, "a wall clock, set back by an hour:     fires after {}", fires_after(back));
    say!(t, "a wall clock, set forward by an hour:  fires after {}", fires_after(forward));
    Ok(())
}

fn is_set(passed: Time) -> bool {
    passed >= Time::ZERO + 5 * SECOND
}

/// Returns when a timer of ten seconds fires in a loop whose clock shows `shown(passed)`.
fn fires_after(shown: impl Fn(Time) -> Time) -> Time {
    let passed = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(shown(passed.now()) + 10 * SECOND, ());
    // A byte wakes the loop just after the clock was set.
    passed.advance(5 * SECOND);
    while timers.pop_due(shown(passed.now())).is_none() {
        passed.sleep_for(timers.next_timeout(shown(passed.now())));
    }
    passed.now()
}
