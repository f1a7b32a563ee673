//! A trial of the clock: it's asked when it was started long ago, without waiting that long.

use std::time::{Duration, Instant};

use anyhow::Context;
use scene::{Program, Transcript, say, trial};
use step04_timers::{Clock, MonotonicClock, Time};

const YEAR: Duration = Duration::from_hours(24 * 365);

/// How long ago the clocks were started: around the units of time, and where the number of
/// microseconds, milliseconds or nanoseconds needs one more bit than a machine's integers have.
const AGES: [Duration; 22] = [
    Duration::ZERO,
    Duration::from_nanos(1),
    Duration::from_nanos(999),
    Duration::from_micros(999),
    Duration::from_nanos(1_000_001),
    Duration::from_nanos(999_999_999),
    Duration::from_secs(1),
    Duration::from_nanos(1_000_000_001),
    Duration::from_nanos(u32::MAX as u64 / 2),
    Duration::from_nanos(u32::MAX as u64),
    Duration::from_millis(59_999),
    Duration::from_mins(1),
    Duration::from_micros(u32::MAX as u64 / 2),
    Duration::from_micros(u32::MAX as u64),
    Duration::from_hours(24),
    Duration::from_millis(u32::MAX as u64 / 2),
    Duration::from_millis(u32::MAX as u64),
    Duration::from_nanos(1 << 53),
    YEAR,
    Duration::from_secs(u32::MAX as u64),
    Duration::from_nanos(i64::MAX as u64),
    Duration::from_nanos(u64::MAX - 2_000_000_000),
];

trial!(
    clocks_of_all_ages,
    1,
    "However long ago a clock was started, it shows the time since then, to the nanosecond."
);
fn clocks_of_all_ages(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The shortest program that's wrong keeps the last, so that's the simplest.
    for age in program.verbs(AGES.into_iter().rev()) {
        let start = Instant::now().checked_sub(age).context("a time before the machine's own")?;
        let clock = MonotonicClock::started_at(start);
        // One reading could be right by luck.
        let wrong = (0..20).find_map(|_| mistake(&clock, start));
        let shown = wrong.unwrap_or_else(|| "the time since then".to_owned());
        say!(t, "a clock that was started {age:?} ago shows {shown}");
    }
    Ok(())
}

/// Reads a clock between two readings of the kernel's clock, and says how far it's off.
fn mistake(clock: &MonotonicClock, start: Instant) -> Option<String> {
    let least = Time::ZERO + start.elapsed();
    let shown = clock.now();
    let most = Time::ZERO + start.elapsed();
    if shown < least {
        return Some(format!("{shown}, at least {:?} too little", least - shown));
    }
    (shown > most).then(|| format!("{shown}, at least {:?} too much", shown - most))
}
