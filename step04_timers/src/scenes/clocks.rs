//! Which clock a loop may ask.

use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

scene!(
    clock_starts_at_zero,
    "A clock for a loop is started. What does it show, and how does it go on?"
);
/// A loop's clock need not know the date. It counts from its own start, goes forward as the
/// kernel's monotonic clock does, and in small steps. One that shows years counts from 1970, which
/// is the clock on the wall; one that stands still makes every timer wait for ever.
fn clock_starts_at_zero(t: Transcript) -> anyhow::Result<()> {
    let before = Instant::now();
    let clock = MonotonicClock::new();
    say!(t, "a new clock shows:           {}", in_short(clock.now()));

    let first = clock.now();
    let busy = Instant::now();
    while busy.elapsed() < Duration::from_millis(2) {}
    let second = clock.now();
    say!(t, "2 ms later, as much more:    {}", second - first >= Duration::from_millis(2));
    say!(t, "not more than have passed:   {}", second - Time::ZERO <= before.elapsed());
    let another = MonotonicClock::new();
    say!(t, "another one began later:     {}", another.now() < second);

    let readings: Vec<Time> = (0..10_000).map(|_| clock.now()).collect();
    let pairs = readings.windows(2);
    let smallest_step = pairs.map(|pair| pair[1] - pair[0]).filter(|step| !step.is_zero()).min();
    say!(t, "10,000 readings go forward:  {}", readings.is_sorted());
    let is_fine = smallest_step.is_some_and(|step| step < Duration::from_millis(1));
    say!(t, "in steps below 1 ms:         {is_fine}");
    Ok(())
}

fn in_short(time: Time) -> &'static str {
    match (time - Time::ZERO).as_secs() {
        0..60 => "less than a minute",
        60..31_536_000 => "more than a minute",
        _ => "years: somebody counts from 1970",
    }
}

scene!(
    wall_clock_set_back,
    "Somebody sets the wall clock back by an hour. When does a timer of ten seconds fire?"
);
/// A timer of ten seconds; after five of them somebody sets the wall clock. The loop is the same
/// each time. It cannot know that the clock it asks has jumped.
fn wall_clock_set_back(t: Transcript) -> anyhow::Result<()> {
    let monotonic = |passed: Time| passed;
    let wall = |passed: Time| passed + 10 * HOUR;
    let back = |passed: Time| if is_set(passed) { passed + 9 * HOUR } else { wall(passed) };
    let forward = |passed: Time| if is_set(passed) { passed + 11 * HOUR } else { wall(passed) };
    say!(t, "10 s on the monotonic clock:         {}", fires_after(monotonic));
    say!(t, "on a wall clock that nobody touches: {}", fires_after(wall));
    say!(t, "on one that is set back an hour:     {}", fires_after(back));
    say!(t, "on one that is set forward:          {}", fires_after(forward));
    Ok(())
}

fn is_set(passed: Time) -> bool {
    passed >= Time::ZERO + 5 * SECOND
}

/// When a timer of ten seconds fires for a loop whose clock shows `shown(passed)`.
fn fires_after(shown: impl Fn(Time) -> Time) -> Time {
    let passed = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(shown(passed.now()) + 10 * SECOND, ());
    // Bytes wake the loop when the clock has just been set.
    passed.advance(5 * SECOND);
    while timers.pop_due(shown(passed.now())).is_none() {
        passed.sleep_for(timers.next_timeout(shown(passed.now())));
    }
    passed.now()
}
