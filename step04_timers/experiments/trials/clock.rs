//! A trial of clocks that were started long ago, without waiting that long.

use std::time::{Duration, Instant};

use anyhow::Context;
use scene::{Program, Transcript, say, trial};
use step04_timers::{Clock, MonotonicClock, Time};

/// Ages around the units of time, in nanoseconds.
const NANOS: [u64; 8] = [
    999,
    1_000_001,
    999_999_999,
    1_000_000_000,
    1_000_000_001,
    59_999_000_000,
    60_000_000_000,
    86_400_000_000_000,
];

/// Returns how long ago the clocks were started: the ages at which a number of nanoseconds,
/// microseconds, milliseconds or seconds needs one more bit, even those beyond the range of a time.
fn ages() -> Vec<Duration> {
    let units: [fn(u64) -> Duration; 4] =
        [Duration::from_nanos, Duration::from_micros, Duration::from_millis, Duration::from_secs];
    // A clock of the kernel's counts seconds in 63 bits. The first power is 1, and 0 is below it.
    let around = |power: u32| [(1_u64 << power) - 1, 1 << power, (1 << power) + 1];
    let powers = (0..62).flat_map(around);
    let largest = [u64::MAX, u64::MAX - 2_000_000_000];
    let mut ages: Vec<Duration> =
        powers.flat_map(|number| units.map(|unit| unit(number))).collect();
    ages.extend(NANOS.into_iter().chain(largest).map(Duration::from_nanos));
    ages.push(Duration::from_nanos(i64::MAX as u64));
    ages.sort_unstable();
    ages.dedup();
    ages
}

trial!(
    clocks_of_all_ages,
    3,
    "No matter how long ago a clock was started, it shows the time since then, exact to the nanosecond."
);
fn clocks_of_all_ages(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The shortest program that's wrong keeps the last, so that's the simplest.
    let ages = ages().into_iter().rev();
    // Each of the three programs has a third of them.
    for age in program.verbs(ages.skip(program.number() as usize % 3).step_by(3)) {
        let start = Instant::now().checked_sub(age).context("a time too early for an Instant")?;
        let clock = MonotonicClock::started_at(start);
        // One reading could be right by luck.
        let wrong = (0..4).find_map(|_| mistake(&clock, start));
        let shown = wrong.unwrap_or_else(|| "the time since then".to_owned());
        say!(t, "a clock that was started {age:?} ago shows {shown}");
    }
    Ok(())
}

/// Reads a clock between two readings of the kernel's clock and says how far the clock is off.
fn mistake(clock: &MonotonicClock, start: Instant) -> Option<String> {
    let least = Time::ZERO + start.elapsed();
    let shown = clock.now();
    let most = Time::ZERO + start.elapsed();
    if shown < least {
        return Some(format!("{shown}, at least {:?} too little", least - shown));
    }
    (shown > most).then(|| format!("{shown}, at least {:?} too much", shown - most))
}
